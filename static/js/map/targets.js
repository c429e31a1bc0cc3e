// Where a route can lead to on this map: an instance, an address, the instance it is on, or an address yet to be typed.
import { boxArea, kindOf, namesOf, pane, shapes } from "./picture.js";

const OTHER = { width: 170, height: 42, bottom: 74 };
// In a narrow pane the buttons below leave no place between them.
const NARROW = { below: 640, bottom: 112 };

export function words() { return document.getElementById("map-words").dataset; }
export function filled(text, name) { return text.replace("%s", () => name); }

// In the middle of the lower edge of the pane: a place that is always free.
function otherArea(viewport) {
  const [x, y] = [(viewport.width - OTHER.width) / 2, viewport.height - (viewport.width < NARROW.below ? NARROW.bottom : OTHER.bottom)];
  return { x: (x - viewport.x) / viewport.k, y: (y - viewport.y) / viewport.k, w: OTHER.width / viewport.k, h: OTHER.height / viewport.k };
}

function ofBox(shape, own) {
  const ref = shape.dataset.box;
  const [name] = namesOf(ref);
  const { address } = shape.dataset;
  const area = boxArea(shape);
  if (kindOf(ref) === "outside" && name) return { ref, area, word: words().outside, query: { to_address: name }, address: name };
  if (kindOf(ref) !== "instance" || shape.querySelector("a.box.dropped")) return null;
  if (name === own) return { ref, area, word: words().local, query: { local: "1" }, address: "LOCAL", isLocal: true };
  if (!address) return { ref, area, refused: filled(words().unheard, name) };
  return { ref, area, word: filled(words().to, name), query: { to_instance: name }, address };
}

export function targetsFrom(instance, viewport) {
  const boxes = shapes().map((shape) => ofBox(shape, instance)).filter(Boolean);
  const other = { ref: "other", get area() { return otherArea(viewport); }, word: words().other, query: { to_address: "" }, address: "" };
  return [...boxes, ...(pane.clientWidth ? [other] : [])];
}

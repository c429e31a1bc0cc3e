// Where a route can lead to on this map: an instance, an address, the instance it is on, or an address yet to be typed.
import { common, sizeOf } from "./geometry.js";
import { boxArea, kindOf, namesOf, pane, shapes } from "./picture.js";

const OTHER = { w: 170, h: 42 };
// From the edges of the pane, and from the buttons there.
const MARGIN = 10;

export function words() { return document.getElementById("map-words").dataset; }
export function filled(text, name) { return text.replace("%s", () => name); }

// Where the place of another address may stand on the pane: by its lower edge first, then above, then at the sides.
function* placesOfOther({ width, height }, [top, bottom]) {
  const [lower, upper] = [height - bottom - OTHER.h, top];
  const across = [(width - OTHER.w) / 2, MARGIN, width - OTHER.w - MARGIN];
  for (const y of [lower, upper, (upper + lower) / 2]) for (const x of across) yield { x, y, ...OTHER };
}

// How far the buttons reach into the pane, from above and from below.
function buttons(height) {
  const [here, areas] = [pane.getBoundingClientRect(), [...pane.querySelectorAll(".float")].map((one) => one.getBoundingClientRect()).filter((area) => area.height)];
  const above = areas.filter((area) => area.top - here.top < height / 2).map((area) => area.bottom - here.top);
  const below = areas.filter((area) => area.top - here.top >= height / 2).map((area) => here.bottom - area.top);
  return [above, below].map((all) => Math.max(0, ...all) + MARGIN);
}

// The place that covers least of the targets: they stay where they are while a line is dragged.
function freePlace(viewport, targets) {
  const onPane = ({ x, y, w, h }) => ({ x: x * viewport.k + viewport.x, y: y * viewport.k + viewport.y, w: w * viewport.k, h: h * viewport.k });
  const areas = targets.map(({ area }) => onPane(area));
  const covered = (place) => areas.reduce((sum, area) => sum + sizeOf(common(place, area)), 0);
  const places = [...placesOfOther(viewport, buttons(viewport.height))];
  return places.reduce((best, place) => (covered(place) < covered(best) ? place : best));
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
  const place = freePlace(viewport, boxes);
  const inPicture = () => ({ x: (place.x - viewport.x) / viewport.k, y: (place.y - viewport.y) / viewport.k, w: place.w / viewport.k, h: place.h / viewport.k });
  const other = { ref: "other", get area() { return inPicture(); }, word: words().other, query: { to_address: "" }, address: "" };
  return [...boxes, ...(pane.clientWidth ? [other] : [])];
}

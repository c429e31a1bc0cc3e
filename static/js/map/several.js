// Several things are selected at once, and dropped together: with Ctrl, with the button, or by a frame around them.
import { areaOf, kindOf, marks, pane, when } from "./picture.js";
import { claim, drag, isClaimed } from "./drag.js";
import { overlaps } from "./geometry.js";
import { isFree } from "../keys.js";

const chosen = new Set();
const DROPPED = new Set(["route", "database", "instance"]);

function mayBeDropped(mark) {
  return mark && !mark.matches(".dropped") && !("aside" in mark.dataset) && !mark.dataset.bundle && DROPPED.has(kindOf(mark.dataset.ref));
}

function show() {
  for (const mark of marks()) mark.classList.toggle("chosen", chosen.has(mark.dataset.ref));
  const button = pane.querySelector("[data-act=drop]");
  button.hidden = !chosen.size;
  button.querySelector("[data-count]").textContent = chosen.size;
}

function toggle(mark) {
  const { ref } = mark.dataset;
  if (!chosen.delete(ref)) chosen.add(ref);
  show();
}

function clear() { chosen.clear(); show(); }

// A frame is drawn around rows while several are selected; it takes those that it touches.
function frame(viewport, layer, event) {
  claim(event);
  const from = viewport.inPicture(event);
  const area = (to) => ({ x: Math.min(from.x, to.x), y: Math.min(from.y, to.y), w: Math.abs(to.x - from.x), h: Math.abs(to.y - from.y) });
  drag(pane, event, {
    move(to) { layer.clear(); layer.frame(area(viewport.inPicture(to)), "frame over"); },
    end(to) {
      const within = area(viewport.inPicture(to));
      layer.clear();
      for (const mark of marks()) if (mark.matches(".row") && mayBeDropped(mark) && overlaps(areaOf(mark), within)) chosen.add(mark.dataset.ref);
      show();
    },
    cancel() { layer.clear(); },
  });
}

// `drop` is called with the refs of the things to drop.
export function startSeveral(viewport, layer, drop) {
  const button = pane.querySelector("[data-act=several]");
  const isOn = () => pane.classList.contains("selecting");
  const turn = (on) => {
    pane.classList.toggle("selecting", on);
    button.setAttribute("aria-pressed", on);
    if (!on) clear();
  };
  button.hidden = false;
  button.addEventListener("click", () => turn(!isOn()));
  pane.querySelector("[data-act=drop]").addEventListener("click", () => drop([...chosen]));
  pane.addEventListener("click", (event) => {
    const mark = event.target.closest("a.mark");
    if (!mark || !(isOn() || event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    event.stopPropagation();
    if (mayBeDropped(mark)) toggle(mark);
  });
  pane.addEventListener("pointerdown", (event) => {
    if (isOn() && event.button === 0 && !isClaimed(event) && !event.target.closest(".float, .minimap")) frame(viewport, layer, event);
  });
  document.addEventListener("keydown", (event) => {
    const mark = event.target.closest?.("svg.net a.mark");
    if (event.key === "Escape" && (isOn() || chosen.size) && !event.defaultPrevented && !document.querySelector("dialog[open]")) {
      event.preventDefault();
      turn(false);
      return;
    }
    if (event.key === "s" && isFree(event)) { event.preventDefault(); turn(!isOn()); return; }
    if (event.key === " " && isOn() && mayBeDropped(mark)) { event.preventDefault(); toggle(mark); return; }
    if (event.key !== "Delete" || !(mark || chosen.size)) return;
    const refs = chosen.size ? [...chosen] : mayBeDropped(mark) ? [mark.dataset.ref] : [];
    if (!refs.length) return;
    event.preventDefault();
    drop(refs);
  });
  // All things up or down the routes from a thing are selected with it.
  function takeHighlighted() {
    if (!new URL(location.href).searchParams.has("reach")) return;
    for (const mark of marks()) if (mark.matches(".lit") && mayBeDropped(mark)) chosen.add(mark.dataset.ref);
    show();
  }
  when("drawn", () => { turn(false); takeHighlighted(); });
  takeHighlighted();
}

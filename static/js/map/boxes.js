// Boxes that are put elsewhere, by drag or with Shift and arrow keys, and stay there. Moving a box is no edit.
import { announce, boxArea, drawnArea, offsetOf, pane, setOffset, shapeByRef, shapeOf, shapes, when } from "./picture.js";
import { claim, drag, isClaimed } from "./drag.js";
import { edgePan } from "./edge.js";
import { overlaps } from "./geometry.js";
import { redrawLines } from "./lines.js";
import { keepPlaces, keptPlaces, forgetPlaces, placesAsTexts } from "./kept.js";

const [GRID, STEP, GAP] = [4, 20, 24];
const ARROWS = { ArrowLeft: [-STEP, 0], ArrowRight: [STEP, 0], ArrowUp: [0, -STEP], ArrowDown: [0, STEP] };
// By ref of the box: where a user put it.
const put = new Map();

const drawnPlace = (shape) => drawnArea(shape.querySelector("a.box"));

function putAt(shape, { x, y }) {
  const drawn = drawnPlace(shape);
  setOffset(shape, { x: Math.round(x - drawn.x), y: Math.round(y - drawn.y) });
}

function moved(only) {
  redrawLines(only);
  announce("moved");
}

function keep(shape) {
  const { x, y } = boxArea(shape);
  put.set(shape.dataset.box, { x, y });
  keepPlaces(put);
  pane.querySelector("[data-act=back]")?.removeAttribute("hidden");
}

// -- By drag -----------------------------------------------------------------------------------------------
function startDrag(event, viewport) {
  const mark = event.target.closest("a.box");
  if (!mark || event.button !== 0 || isClaimed(event) || pane.classList.contains("selecting")) return;
  claim(event);
  const shape = shapeOf(mark);
  const [from, before] = [viewport.inPicture(event), offsetOf(shape)];
  const snap = (value) => Math.round(value / GRID) * GRID;
  let last = event;
  const follow = () => {
    const at = viewport.inPicture(last);
    setOffset(shape, { x: before.x + snap(at.x - from.x), y: before.y + snap(at.y - from.y) });
    moved(new Set([shape]));
  };
  const edge = edgePan(viewport, viewport.inPane(event), follow);
  drag(pane, event, {
    begin() { shape.parentNode.append(shape); },
    move(to) { last = to; edge.at(viewport.inPane(to)); follow(); },
    end() { edge.stop(); keep(shape); },
    cancel() { edge.stop(); setOffset(shape, before); moved(new Set([shape])); },
  });
}

function byKeys(event) {
  const mark = event.target.closest?.("svg.net a.box");
  const by = ARROWS[event.key];
  if (!mark || !by || !event.shiftKey || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  const shape = shapeOf(mark);
  const { x, y } = offsetOf(shape);
  setOffset(shape, { x: x + by[0], y: y + by[1] });
  moved(new Set([shape]));
  keep(shape);
}

// -- As they were put --------------------------------------------------------------------------------------
function putBack() {
  put.clear();
  forgetPlaces();
  for (const shape of shapes()) setOffset(shape, { x: 0, y: 0 });
  moved(null);
  pane.querySelector("[data-act=back]").hidden = true;
}

// A form that saves the view takes along where boxes were put.
function fillIn(event) {
  if (!event.target.matches("form[data-places-from-map]")) return;
  event.target.querySelector("input[name=places]")?.remove();
  const field = Object.assign(document.createElement("input"), { type: "hidden", name: "places", value: placesAsTexts(put).join(";") });
  event.target.append(field);
}

// A new box stands where its user wanted it.
export function putBox(ref, place) {
  const shape = shapeByRef(ref);
  if (!shape) return;
  putAt(shape, place);
  keep(shape);
  moved(new Set([shape]));
}

export function placesOfAll() { return new Map(shapes().map((shape) => [shape.dataset.box, boxArea(shape)])); }

// After a new picture: each box where it stood; one that has grown pushes down what stands below it, a new one stands free.
export function placeAll(known) {
  const settled = [];
  const inOrder = shapes().sort((one, other) => known.has(other.dataset.box) - known.has(one.dataset.box)
    || (known.get(one.dataset.box)?.y ?? drawnPlace(one).y) - (known.get(other.dataset.box)?.y ?? drawnPlace(other).y));
  for (const shape of inOrder) {
    putAt(shape, known.get(shape.dataset.box) ?? drawnPlace(shape));
    let area = boxArea(shape);
    for (let inTheWay; (inTheWay = settled.find((other) => overlaps(area, other))); area = boxArea(shape)) {
      putAt(shape, { x: area.x, y: inTheWay.y + inTheWay.h + GAP });
    }
    settled.push(area);
  }
  redrawLines();
}

export function startBoxes(viewport) {
  for (const [ref, place] of keptPlaces()) put.set(ref, place);
  for (const [ref, place] of put) {
    const shape = shapeByRef(ref);
    if (shape) putAt(shape, place);
  }
  if (put.size) { redrawLines(); pane.querySelector("[data-act=back]")?.removeAttribute("hidden"); }
  pane.addEventListener("pointerdown", (event) => startDrag(event, viewport));
  document.addEventListener("keydown", byKeys);
  document.addEventListener("submit", fillIn);
  pane.querySelector("[data-act=back]")?.addEventListener("click", putBack);
}

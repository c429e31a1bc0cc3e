// The lines between boxes. One between boxes that stand as the server drew them keeps its course; another becomes a curve.
import { boxArea, drawnArea, offsetOf, picture, shapeOf, shapes } from "./picture.js";
import { joined } from "./geometry.js";

function draw(path, sign, d, at) {
  path.setAttribute("d", d);
  sign?.setAttribute("transform", at);
}

function redraw(path, shape, target) {
  const sign = path.nextElementSibling?.matches("g.change") ? path.nextElementSibling : null;
  path.dataset.drawn ??= path.getAttribute("d");
  if (sign) sign.dataset.drawn ??= sign.getAttribute("transform");
  const [by, to] = [offsetOf(shape), offsetOf(target)];
  if (by.x === to.x && by.y === to.y) { draw(path, sign, path.dataset.drawn, sign?.dataset.drawn); return; }
  // The path lies in its box, which is shifted as a whole.
  const inside = (area) => ({ ...area, x: area.x - by.x, y: area.y - by.y });
  const line = joined(drawnArea(path.closest("a.mark")), inside(boxArea(shape)), inside(boxArea(target)));
  draw(path, sign, line.path, `translate(${line.middle.x} ${line.middle.y})`);
}

// Those that begin or end at one of these boxes; all without any.
export function redrawLines(only = null) {
  const byBox = new Map(shapes().map((shape) => [shape.dataset.box, shape]));
  for (const path of only ? pathsAt(only) : picture.querySelectorAll("path[data-to]")) {
    const target = byBox.get(path.dataset.to);
    if (target) redraw(path, shapeOf(path), target);
  }
}

function pathsAt(some) {
  const selectors = [...some].map(({ dataset: { box } }) => `g.shape[data-box="${CSS.escape(box)}"] path[data-to], path[data-to="${CSS.escape(box)}"]`);
  return picture.querySelectorAll(selectors.join(", "));
}

// The ends of the selected route: rings that are dragged to another address, and one more for its mirror.
import { areaOf, boxArea, kindOf, marks, namesOf, pane, refTo, shapeByRef, shapeOf, when } from "./picture.js";
import { words } from "./targets.js";

const MIRROR_BELOW = 26;

// The end of a drawn line, in the coordinates of the picture.
function endOf(path) {
  const length = path.getTotalLength();
  const [end, by] = [path.getPointAtLength(length), shapeOf(path).dataset];
  return { x: end.x + Number(by.dx ?? 0), y: end.y + Number(by.dy ?? 0) };
}

function titled(ring, text) {
  const title = document.createElementNS("http://www.w3.org/2000/svg", "title");
  title.textContent = text;
  ring.append(title);
  return ring;
}

// A bundle is opened first: then each of its routes has ends of its own.
function isOneRoute(mark) { return mark?.matches(".row:not(.dropped)") && kindOf(mark.dataset.ref) === "route" && !mark.dataset.bundle; }

function ringsOf(mark, layer) {
  const paths = [...mark.querySelectorAll("path.line")];
  const row = areaOf(mark);
  const at = paths.length ? paths.map(endOf) : [{ x: row.x + row.w, y: row.y + row.h / 2 }];
  const rings = at.map((point, index) => {
    const field = index === 0 ? "address" : "mirror_address";
    return [titled(layer.ring(point, "end"), words()[index === 0 ? "endRing" : "mirrorRing"]), field];
  });
  if (at.length === 1) {
    const box = boxArea(shapeByRef(paths[0]?.dataset.to) ?? shapeOf(mark));
    const below = { x: at[0].x, y: Math.min(at[0].y + MIRROR_BELOW, box.y + box.h) };
    rings.push([titled(layer.ring(below, "end mirror"), words().mirrorRing), "mirror_address"]);
  }
  return rings;
}

// Zoomed out, the areas of two rings overlap: a press is for the ring whose middle is nearer.
function nearest(rings, { x, y }) {
  const away = ([ring]) => Math.hypot(Number(ring.dataset.x) - x, Number(ring.dataset.y) - y);
  return rings.reduce((one, other) => (away(other) < away(one) ? other : one));
}

// `begin` is called with the ref of the database, the query of the form, where the line begins, and the event.
export function startEnds(viewport, layer, begin) {
  function show() {
    layer.clear();
    const mark = marks().find((one) => one.hasAttribute("aria-current"));
    if (!isOneRoute(mark)) return;
    const [instance, database, name] = namesOf(mark.dataset.ref);
    const row = areaOf(mark);
    const rings = ringsOf(mark, layer);
    for (const [ring] of rings) {
      ring.addEventListener("pointerdown", (event) => {
        if (event.button !== 0) return;
        const [, field] = nearest(rings, viewport.inPicture(event));
        const from = { x: row.x + row.w, y: row.y + row.h / 2 };
        begin({ ref: refTo("database", instance, database), name, field, from, event, done: show });
      });
    }
  }
  for (const name of ["drawn", "moved"]) when(name, show);
  new MutationObserver(show).observe(pane, { subtree: true, attributes: true, attributeFilter: ["aria-current"] });
  show();
}

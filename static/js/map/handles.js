// The handle of each database: a ring at its edge, from which a route is drawn.
import { drawnArea, kindOf, marks, namesOf, pane, picture, refTo, shapeOf, when } from "./picture.js";
import { element } from "./overlay.js";

const TITLE_Y = 13;

function databaseOf(mark) {
  const [instance, name] = namesOf(mark.dataset.ref);
  return name && ["database", "route"].includes(kindOf(mark.dataset.ref)) ? refTo("database", instance, name) : null;
}

function addHandles() {
  for (const one of picture.querySelectorAll("g.handle")) one.remove();
  for (const mark of marks()) {
    if (!mark.matches(".cell:not(.dropped)") || kindOf(mark.dataset.ref) !== "database") continue;
    const { x, y, w } = drawnArea(mark);
    const handle = element("g", { class: "handle", transform: `translate(${x + w} ${y + TITLE_Y})` },
      element("circle", { class: "hit", r: 12 }), element("circle", { class: "ring", r: 5 }));
    handle.dataset.of = mark.dataset.ref;
    shapeOf(mark).append(handle);
  }
}

// Shown for the database that the pointer or the focus is on.
function heat(target) {
  const mark = target?.closest?.("a.mark");
  const ref = target?.closest?.("g.handle")?.dataset.of ?? (mark && databaseOf(mark));
  for (const handle of picture.querySelectorAll("g.handle")) handle.classList.toggle("hot", handle.dataset.of === ref);
}

// `begin` is called with the ref of the database, the middle of its handle and the event.
export function startHandles(viewport, begin) {
  addHandles();
  when("drawn", addHandles);
  pane.addEventListener("pointerover", (event) => { if (!event.buttons) heat(event.target); });
  pane.addEventListener("pointerleave", () => heat(document.activeElement));
  pane.addEventListener("focusin", (event) => heat(event.target));
  pane.addEventListener("focusout", () => heat(null));
  pane.addEventListener("pointerdown", (event) => {
    const handle = event.target.closest("g.handle");
    if (!handle || event.button !== 0) return;
    const ring = handle.querySelector(".ring").getBoundingClientRect();
    const at = { clientX: ring.x + ring.width / 2, clientY: ring.y + ring.height / 2 };
    begin(handle.dataset.of, viewport.inPicture(at), event);
  });
}

export function focusedDatabase() {
  const mark = document.activeElement?.closest?.("svg.net a.mark");
  return mark ? databaseOf(mark) : null;
}

// A service is dragged to another database.
import { areaOf, kindOf, marks, pane, shapeOf, offsetOf } from "./picture.js";
import { filled, words } from "./targets.js";

function nameOf(text) { return text.querySelector("title")?.textContent ?? text.dataset.full ?? text.textContent; }

export function databaseTargets(except) {
  const cells = marks().filter((mark) => mark.matches(".cell:not(.dropped)") && kindOf(mark.dataset.ref) === "database" && mark.dataset.ref !== except);
  return cells.map((mark) => ({ ref: mark.dataset.ref, area: areaOf(mark), word: filled(words().to, decodeURIComponent(mark.dataset.ref.split("/").at(-1))) }));
}

// `begin` is called with the name of the service, its database, where the line begins, and the event.
export function startServices(begin) {
  pane.addEventListener("pointerdown", (event) => {
    const text = event.target.closest("text.service");
    const mark = text?.closest("a.cell:not(.dropped)");
    if (!mark || event.button !== 0 || kindOf(mark.dataset.ref) !== "database") return;
    const by = offsetOf(shapeOf(mark));
    const from = { x: Number(text.getAttribute("x")) + by.x, y: Number(text.getAttribute("y")) - 4 + by.y };
    begin({ service: nameOf(text), ref: mark.dataset.ref, from, event });
  });
}

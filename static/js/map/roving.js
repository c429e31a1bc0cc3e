// Arrow keys along the map: down and up from one to the next, right along a route, left to where it begins.
import { areaOf, byRef, headOf, marks, shapeOf, when } from "./picture.js";

let cameFrom = null;

export function rove(to) {
  for (const one of marks()) one.setAttribute("tabindex", one === to ? "0" : "-1");
}

function targets(one) { return (one.dataset.to ?? "").split(" ").filter(Boolean); }

// From a box or a database to its first route that leads on.
function forth(one) {
  const [to] = targets(one);
  if (to) { cameFrom = one; return byRef(to); }
  return shapeOf(one).querySelector("a.mark[data-to]");
}

// To the box; from a box to the route that led here.
function back(one) {
  const head = headOf(one);
  if (one !== head) return head;
  const here = one.dataset.ref;
  if (cameFrom?.isConnected && targets(cameFrom).includes(here)) return cameFrom;
  return marks().find((other) => targets(other).includes(here));
}

function beside(one, step) {
  const all = marks();
  return all[all.indexOf(one) + step];
}

const MOVES = {
  ArrowDown: (one) => beside(one, 1),
  ArrowUp: (one) => beside(one, -1),
  ArrowRight: forth,
  ArrowLeft: back,
  Home: () => marks()[0],
  End: () => marks().at(-1),
};

export function startRoving(viewport) {
  const go = (to) => {
    if (!to) return;
    rove(to);
    to.focus({ preventScroll: true });
    viewport.reveal(areaOf(to));
  };
  // A new picture has one thing to tab to, and the focus where it was.
  when("drawn", ({ focused }) => {
    const to = byRef(focused) ?? marks().find((one) => one.hasAttribute("aria-current")) ?? marks()[0];
    if (to) rove(to);
    if (focused) to?.focus({ preventScroll: true });
  });
  document.addEventListener("keydown", (event) => {
    const one = event.target.closest?.("svg.net a.mark");
    if (!one || event.defaultPrevented || !MOVES[event.key] || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
    event.preventDefault();
    go(MOVES[event.key](one));
  });
  return go;
}

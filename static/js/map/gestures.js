// Pan and zoom by wheel, by drag, with two fingers and by keys.
import { drag, isClaimed } from "./drag.js";
import { isFree } from "../keys.js";

const WHEEL_ZOOM = 0.0016;
const LINE_PX = 16;
const KEY_ZOOM = 1.25;
const KEY_PAN = 60;

export function startGestures(pane, viewport) {
  wheel(pane, viewport);
  onePointer(pane, viewport);
  twoFingers(pane, viewport);
  keys(pane, viewport);
  pane.addEventListener("dragstart", (event) => event.preventDefault());
}

function wheel(pane, viewport) {
  pane.addEventListener("wheel", (event) => {
    event.preventDefault();
    const unit = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? LINE_PX : 1;
    if (event.shiftKey) { viewport.panBy(-(event.deltaX || event.deltaY) * unit, 0); return; }
    // Two fingers on a touchpad tell their pinch as a wheel with Ctrl, in small steps.
    const speed = event.ctrlKey ? 6 * WHEEL_ZOOM : WHEEL_ZOOM;
    viewport.zoomAt(viewport.inPane(event), Math.exp(-event.deltaY * unit * speed));
  }, { passive: false });
}

function onePointer(pane, viewport) {
  pane.addEventListener("pointerdown", (event) => {
    if (isClaimed(event) || event.button !== 0 || event.target.closest(".float, .minimap")) return;
    let last = viewport.inPane(event);
    drag(pane, event, {
      begin() { pane.classList.add("panning"); },
      move(to) {
        const now = viewport.inPane(to);
        viewport.panBy(now.x - last.x, now.y - last.y);
        last = now;
      },
      end() { pane.classList.remove("panning"); },
      cancel() { pane.classList.remove("panning"); },
    });
  });
}

function twoFingers(pane, viewport) {
  const fingers = new Map();
  const between = () => {
    const [one, two] = [...fingers.values()];
    return { x: (one.x + two.x) / 2, y: (one.y + two.y) / 2, apart: Math.hypot(one.x - two.x, one.y - two.y) || 1 };
  };
  pane.addEventListener("pointerdown", (event) => {
    if (event.pointerType === "touch") fingers.set(event.pointerId, viewport.inPane(event));
  }, { capture: true });
  window.addEventListener("pointermove", (event) => {
    if (!fingers.has(event.pointerId)) return;
    const before = fingers.size === 2 ? between() : null;
    fingers.set(event.pointerId, viewport.inPane(event));
    if (!before) return;
    const now = between();
    viewport.panBy(now.x - before.x, now.y - before.y);
    viewport.zoomAt(now, now.apart / before.apart);
  });
  for (const name of ["pointerup", "pointercancel"]) window.addEventListener(name, (event) => fingers.delete(event.pointerId));
}

function keys(pane, viewport) {
  const everywhere = {
    f: () => viewport.fit(),
    "+": () => viewport.zoomTo(viewport.k * KEY_ZOOM),
    "-": () => viewport.zoomTo(viewport.k / KEY_ZOOM),
    0: () => viewport.zoomTo(1),
  };
  const onThePane = {
    ArrowLeft: () => viewport.panBy(KEY_PAN, 0),
    ArrowRight: () => viewport.panBy(-KEY_PAN, 0),
    ArrowUp: () => viewport.panBy(0, KEY_PAN),
    ArrowDown: () => viewport.panBy(0, -KEY_PAN),
  };
  document.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    const act = event.target === pane && onThePane[event.key] || isFree(event) && everywhere[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  });
}

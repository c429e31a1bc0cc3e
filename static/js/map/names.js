// The words of a thing whose texts are shortened or left out at this scale, beside it while the pointer or the focus is there.
import { areaOf, pane } from "./picture.js";
import { clamp } from "./geometry.js";

const [GAP, EDGE] = [6, 8];
const LEFT_OUT = "text[data-full], text[style*='display']";

export function startNames(viewport) {
  const tip = document.createElement("div");
  tip.className = "map-tip map-name";
  tip.setAttribute("aria-hidden", "true");
  tip.hidden = true;
  pane.append(tip);
  const hide = () => { tip.hidden = true; };

  function show(target) {
    const mark = target.closest?.("svg.net a.mark");
    if (!mark?.querySelector(LEFT_OUT) || pane.matches(".drawing, .panning, .selecting")) { hide(); return; }
    const { x, y, w, h } = areaOf(mark);
    tip.textContent = mark.getAttribute("aria-label");
    tip.hidden = false;
    // A database or a box is named above its contents, a row below itself.
    const { k } = viewport;
    const isRow = mark.matches(".row");
    const [left, top] = [x * k + viewport.x, (isRow ? y + h : y) * k + viewport.y + (isRow ? GAP : -tip.offsetHeight - GAP)];
    const [right, bottom] = [viewport.width - tip.offsetWidth - EDGE, viewport.height - tip.offsetHeight - EDGE];
    tip.style.transform = `translate(${clamp(left, EDGE, Math.max(EDGE, right))}px, ${clamp(top, EDGE, Math.max(EDGE, bottom))}px)`;
  }
  pane.addEventListener("pointerover", (event) => { if (!event.buttons) show(event.target); });
  pane.addEventListener("focusin", (event) => { if (event.target.matches(":focus-visible")) show(event.target); });
  for (const name of ["pointerleave", "pointerdown", "focusout", "wheel"]) pane.addEventListener(name, hide, { passive: true });
  document.addEventListener("keydown", (event) => { if (event.key === "Escape") hide(); });
}

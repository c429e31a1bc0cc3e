// The word beside the pointer while something is dragged.
import { filled, words } from "./targets.js";

export function makeTip(pane, viewport) {
  const tip = document.createElement("div");
  tip.className = "map-tip";
  tip.hidden = true;
  const [first, second] = [document.createElement("b"), document.createElement("span")];
  tip.append(first, second);
  pane.append(tip);
  return (what) => (target, event) => {
    tip.hidden = !event;
    if (!event) return;
    first.textContent = target?.refused ?? (target ? filled(what, target.word) : words().where);
    second.textContent = target && !target.refused ? words().release : words().escape;
    const { x, y } = viewport.inPane(event);
    const [width, height] = [tip.offsetWidth, tip.offsetHeight];
    tip.style.left = `${Math.min(x + 14, viewport.width - width - 8)}px`;
    tip.style.top = `${y + 18 + height > viewport.height ? y - height - 12 : y + 18}px`;
  };
}

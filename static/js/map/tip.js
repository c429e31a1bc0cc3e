// The word beside the pointer while something is dragged.
import { filled, words } from "./targets.js";

export function makeTip(pane, viewport) {
  const tip = document.createElement("div");
  tip.className = "map-tip";
  tip.hidden = true;
  const [first, second] = [document.createElement("b"), document.createElement("span")];
  tip.append(first, second);
  pane.append(tip);
  let [width, height] = [0, 0];
  // Measured when the words change, not with each move: measuring makes the browser lay the page out.
  function say(one, other) {
    if (first.textContent === one && second.textContent === other && width) return;
    [first.textContent, second.textContent] = [one, other];
    [width, height] = [tip.offsetWidth, tip.offsetHeight];
  }
  return (what) => (target, event) => {
    tip.hidden = !event;
    if (!event) return;
    say(target?.refused ?? (target ? filled(what, target.word) : words().where), target && !target.refused ? words().release : words().escape);
    const { x, y } = viewport.inPane(event);
    const [left, top] = [Math.min(x + 14, viewport.width - width - 8), y + 18 + height > viewport.height ? y - height - 12 : y + 18];
    tip.style.transform = `translate(${left}px, ${top}px)`;
  };
}

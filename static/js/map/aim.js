// A line that is dragged to a target: valid ones have a dashed frame and a word, the one under the pointer a solid one.
import { pane, picture } from "./picture.js";
import { claim, drag } from "./drag.js";
import { edgePan } from "./edge.js";
import { clamp, curve, grown, holds, overlaps, sizeOf } from "./geometry.js";
import { element, TAG_HEIGHT, widthOfTag } from "./overlay.js";

const [AWAY, FAR_LARGER] = [24, 4];

// Where the line enters a target: at the height of the pointer, on the side from which it comes.
export function snapped(from, target, at) {
  const { area } = target;
  const y = clamp(at.y, area.y + 14, area.y + area.h - 14);
  const isRight = area.x >= from.x;
  if (target.isLocal) return { point: { x: area.x + area.w, y: clamp(at.y, area.y + 14, area.y + area.h - 14) }, into: -1 };
  return isRight ? { point: { x: area.x, y }, into: 1 } : { point: { x: area.x + area.w, y }, into: -1 };
}

export function lineTo(from, target, at) {
  if (!target) return curve(from, at, at.x >= from.x ? 1 : -1, at.x >= from.x ? 1 : -1).path;
  const { point, into } = snapped(from, target, at);
  return curve(from, point, target.isLocal || into > 0 ? 1 : -1, into).path;
}

// The target that was drawn last; of a box and the place of another address above it, the box, unless that is far larger.
function targetAt(targets, at) {
  const [top = null, next] = [...targets].reverse().filter((target) => holds(target.area, at));
  return top?.ref === "other" && next && sizeOf(next.area) < FAR_LARGER * sizeOf(top.area) ? next : top;
}

// `over` hears of each target that the pointer comes to, refused ones too, and of null where it leaves all. The line
// stays in the layer `pending` once it is dropped, until the form that follows is left.
export function aim(down, { layer, pending, viewport, from, targets, tip, over, drop, cancel }) {
  claim(down);
  let [current, armed, last] = [null, false, null];
  const start = viewport.inPicture(down);
  const frames = new Map();
  const line = element("path", { class: "drawn", "marker-end": "url(#to)" });
  const edge = edgePan(viewport, viewport.inPane(down), () => { place(); follow(); });

  function begin() {
    pending.clear();
    pane.classList.add("drawing");
    picture.classList.add("drawing");
    for (const target of targets) {
      if (target.refused) continue;
      const frame = layer.frame(grown(target.area, target.ref === "other" ? 0 : 4), `frame${target.ref === "other" ? " other" : ""}`);
      frames.set(target, [frame, layer.tag(target.word, wordAt(target), target.ref === "other" ? "middle" : "end")]);
    }
    layer.add(line);
    place();
  }
  // The word of a target stands at its right end, or where the pane ends.
  function wordAt({ ref, word, area: { x, y, w, h } }) {
    if (ref === "other") return { x: x + w / 2, y: y + h / 2 };
    const seenTo = (viewport.width - viewport.x) / viewport.k;
    const least = (widthOfTag(word) + 8 - viewport.x) / viewport.k;
    return { x: Math.max(least, Math.min(x + w - 6, Math.max(seenTo - 8 / viewport.k, x + 90))), y: y + 2 };
  }
  function place() {
    const taken = [];
    for (const [target, [frame, tag]] of frames) {
      if (target.ref === "other") layer.place(frame, target.area);
      layer.put(tag, target.ref === "other" ? wordAt(target) : freeOf(taken, target));
    }
  }
  // Where its word covers no other one: further down, by the height of one word at a time.
  function freeOf(taken, target) {
    const [w, h] = [widthOfTag(target.word) / viewport.k, TAG_HEIGHT / viewport.k];
    let { x, y } = wordAt(target);
    const here = () => ({ x: x - w, y: y - h / 2, w, h });
    while (taken.some((one) => overlaps(one, here()))) y += h;
    taken.push(here());
    return { x, y };
  }
  function move(event) {
    last = event;
    edge.at(viewport.inPane(event));
    follow();
  }
  function follow() {
    const at = viewport.inPicture(last);
    armed ||= Math.hypot(at.x - start.x, at.y - start.y) * viewport.k > AWAY;
    const target = armed ? targetAt(targets, at) : null;
    line.setAttribute("d", lineTo(from, target?.refused ? null : target, at));
    tip(target, last);
    if (target === current) return;
    for (const one of frames.get(current) ?? []) one.classList.remove("over");
    for (const one of frames.get(target) ?? []) one.classList.add("over");
    current = target;
    over(target);
  }
  function finish() {
    edge.stop();
    pane.classList.remove("drawing");
    picture.classList.remove("drawing");
    layer.clear();
    tip(null, null);
  }
  drag(pane, down, {
    begin,
    move,
    end(event) {
      const at = viewport.inPicture(event);
      finish();
      if (!current || current.refused) { cancel(); return; }
      if (current.ref !== "other") pending.add(element("path", { class: "drawn", d: lineTo(from, current, at), "marker-end": "url(#to)" }));
      drop(current, at);
    },
    cancel() { finish(); cancel(); },
  });
}

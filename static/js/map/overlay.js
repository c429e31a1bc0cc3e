// Frames, words and the line that follows the pointer, drawn over the picture during a drag.
const SVG = "http://www.w3.org/2000/svg";
export const TAG_HEIGHT = 22;
const [TAG_PAD, CHARACTER] = [12, 6.9];

export function element(name, attributes = {}, ...children) {
  const one = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) one.setAttribute(key, value);
  one.append(...children);
  return one;
}

// On the screen, in pixels.
export function widthOfTag(text) { return text.length * CHARACTER + 2 * TAG_PAD; }

// A layer in the coordinates of the picture; its words keep their size at every zoom.
export class Layer {
  constructor(overlay, viewport, className) {
    this.group = element("g", { class: className });
    overlay.append(this.group);
    this.viewport = viewport;
    viewport.onChange(() => this.#follow());
  }

  // An empty layer stays as it is until something is drawn on it.
  #follow() {
    if (!this.group.firstChild) return;
    this.#shift();
    for (const one of this.group.querySelectorAll("[data-x]")) this.#size(one);
  }
  #size(one) { one.setAttribute("transform", `translate(${one.dataset.x} ${one.dataset.y}) scale(${1 / this.viewport.k})`); }

  #shift() {
    const { x, y, k } = this.viewport;
    this.group.setAttribute("transform", `translate(${x} ${y}) scale(${k})`);
  }

  add(...children) {
    if (!this.group.firstChild) this.#shift();
    this.group.append(...children);
    return children[0];
  }
  clear() { this.group.replaceChildren(); }

  frame(area, className) { return this.add(this.place(element("rect", { class: className, rx: 10 }), area)); }
  place(frame, { x, y, w, h }) {
    for (const [name, value] of Object.entries({ x, y, width: w, height: h })) frame.setAttribute(name, value);
    return frame;
  }
  // Its right end, or its middle, is at this point.
  tag(text, at, anchor = "end") {
    const width = widthOfTag(text);
    const left = anchor === "end" ? -width : -width / 2;
    const tag = element("g", { class: "tag" }, element("rect", { x: left, y: -TAG_HEIGHT / 2, width, height: TAG_HEIGHT, rx: TAG_HEIGHT / 2 }),
      element("text", { x: left + width / 2, y: 4, "text-anchor": "middle" }, text));
    return this.add(this.put(tag, at));
  }
  put(one, { x, y }) {
    [one.dataset.x, one.dataset.y] = [x, y];
    this.#size(one);
    return one;
  }
  ring(at, className) {
    const ring = element("g", { class: className }, element("circle", { class: "hit", r: 12 }), element("circle", { class: "ring", r: 5 }));
    return this.add(this.put(ring, at));
  }
}

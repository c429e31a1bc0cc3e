// The visible part of the picture and its scale: one transform of the whole picture.
import { boxArea, shapes, sheet, when } from "./picture.js";
import { clamp, union } from "./geometry.js";

const [SMALLEST, LARGEST] = [0.1, 4];
const MARGIN = 24;
// Where the buttons are: below, and on the map of a draft above too.
const BUTTONS = 64;
const KEPT_IN_SIGHT = 80;
const SETTLED_MS = 160;

export class Viewport {
  #listeners = [];
  #settled = [];
  #timer;
  #frame = 0;
  #bounds = null;

  constructor(pane) {
    this.pane = pane;
    [this.x, this.y, this.k] = [0, 0, 1];
    for (const name of ["drawn", "moved"]) when(name, () => { this.#bounds = null; this.#tell(); });
    const measure = () => { [this.width, this.height] = [pane.clientWidth, pane.clientHeight]; };
    measure();
    new ResizeObserver(() => { measure(); this.#apply(); }).observe(pane);
    // Browsers scroll a focused element into view: move the picture instead.
    pane.addEventListener("scroll", () => {
      const [left, top] = [pane.scrollLeft, pane.scrollTop];
      pane.scrollTo(0, 0);
      this.panBy(-left, -top);
    });
  }

  // The height that the buttons above cover: in a narrow pane they stand in several lines.
  get #top() {
    const tools = this.pane.querySelector(".float.tools");
    return tools ? Math.max(BUTTONS, tools.offsetHeight + MARGIN) : MARGIN;
  }
  get bounds() { return this.#bounds ??= union(shapes().map(boxArea)); }
  get fits() {
    const { x, y, w, h } = this.bounds;
    return x * this.k + this.x >= 0 && y * this.k + this.y >= 0
      && (x + w) * this.k + this.x <= this.width && (y + h) * this.k + this.y <= this.height;
  }

  // Once it rests at a scale.
  onSettled(listener) { this.#settled.push(listener); }

  onChange(listener) { this.#listeners.push(listener); listener(this); }

  set({ x, y, k }) {
    this.k = clamp(k, SMALLEST, LARGEST);
    const seen = this.bounds;
    this.x = clamp(x, KEPT_IN_SIGHT - (seen.x + seen.w) * this.k, this.width - KEPT_IN_SIGHT - seen.x * this.k);
    this.y = clamp(y, KEPT_IN_SIGHT - (seen.y + seen.h) * this.k, this.height - KEPT_IN_SIGHT - seen.y * this.k);
    this.#apply();
  }

  panBy(x, y) { this.set({ x: this.x + x, y: this.y + y, k: this.k }); }

  // Zoom by a factor, with the point of the pane fixed.
  zoomAt(point, factor) {
    const k = clamp(this.k * factor, SMALLEST, LARGEST);
    const by = k / this.k;
    this.set({ x: point.x - (point.x - this.x) * by, y: point.y - (point.y - this.y) * by, k });
  }

  zoomTo(k) { this.zoomAt({ x: this.width / 2, y: this.height / 2 }, k / this.k); }

  fit(most = 1) {
    const { w, h } = this.bounds;
    const k = Math.min(most, (this.width - 2 * MARGIN) / (w || 1), (this.height - this.#top - BUTTONS) / (h || 1));
    this.center(clamp(k, SMALLEST, LARGEST));
  }

  center(k) {
    const { x, y, w, h } = this.bounds;
    const top = this.#top;
    const spare = this.height - top - BUTTONS - h * k;
    this.set({ x: (this.width - w * k) / 2 - x * k, y: top + Math.min(spare / 2, MARGIN) - y * k, k });
  }

  // Show the whole picture if that takes no smaller scale than this, else this area at full size.
  begin(area, smallest) {
    this.fit();
    if (this.k >= smallest) return;
    this.center(1);
    this.set({ x: MARGIN - this.bounds.x, y: this.#top - this.bounds.y, k: 1 });
    if (area) this.reveal(area, 0.3);
  }

  reveal(area, place = null) {
    const [left, top] = [area.x * this.k + this.x, area.y * this.k + this.y];
    const [right, bottom] = [left + area.w * this.k, top + area.h * this.k];
    const [least, most] = [this.#top, this.height - BUTTONS];
    const inSight = left >= 0 && top >= least && right <= this.width && bottom <= most;
    if (inSight) return;
    if (place !== null) { this.panBy(this.width / 2 - (left + right) / 2, this.height * place - top); return; }
    const nearest = (start, end, from, to) => (start < from ? from - start : Math.min(0, Math.max(to - end, from - start)));
    this.panBy(nearest(left, right, MARGIN, this.width - MARGIN), nearest(top, bottom, least, most));
  }

  // Return the point of an event in the coordinates of the pane.
  inPane(event) {
    const here = this.pane.getBoundingClientRect();
    return { x: event.clientX - here.left - this.pane.clientLeft, y: event.clientY - here.top - this.pane.clientTop };
  }
  inPicture(event) {
    const { x, y } = this.inPane(event);
    return { x: (x - this.x) / this.k, y: (y - this.y) / this.k };
  }

  #apply() {
    // Drawn once and only shifted while it moves; drawn sharply again once it rests.
    sheet.classList.add("moving");
    sheet.style.transform = `translate(${this.x}px, ${this.y}px) scale(${this.k})`;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      sheet.classList.remove("moving");
      this.pane.style.setProperty("--k", this.k);
      for (const listener of this.#settled) listener(this);
    }, SETTLED_MS);
    this.#tell();
  }

  // Once a frame, however often the pointer has moved.
  #tell() {
    this.#frame ||= requestAnimationFrame(() => {
      this.#frame = 0;
      for (const listener of this.#listeners) listener(this);
    });
  }
}

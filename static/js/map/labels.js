// Labels keep at least 11 px on the screen, whatever the scale: zoomed out, names are written larger and come first; notes,
// words of badges, services and at last rows have a text only where there is room for it. Texts change while nothing moves.
import { drawnArea, marks, picture, when } from "./picture.js";
import { clamp } from "./geometry.js";

const LEAST = 11;
const [NAME, TEXT] = [13, 12];
// Below these scales the lines of a kind stand closer than their letters are high.
const [SECOND_LINES, SERVICES, ROWS, DATABASES] = [0.7, 0.62, 0.46, 0.31];
const [PAD, GAP, SYMBOL, FOLD] = [11, 8, 14, 29];
// The height of a title of a box; of letters above and below their line, in sizes.
const [HEAD, ABOVE, BELOW] = [36, 0.95, 0.22];
const pen = document.createElement("canvas").getContext("2d");
const widths = new Map();

// The width at 100 px.
function widthOf(text, font) {
  const key = `${font}|${text}`;
  if (!widths.has(key)) {
    pen.font = font;
    widths.set(key, pen.measureText(text).width);
  }
  return widths.get(key);
}

function fonts() {
  const style = getComputedStyle(document.documentElement);
  const [sans, mono] = ["--sans", "--mono"].map((name) => style.getPropertyValue(name));
  return { name: `600 100px ${sans}`, sign: `600 100px ${sans}`, route: `600 100px ${mono}`, note: `100px ${sans}`, service: `100px ${sans}` };
}

class Label {
  constructor(node, font) {
    [this.node, this.role, this.full] = [node, node.getAttribute("class"), node.firstChild?.data ?? ""];
    [this.x, this.y] = ["x", "y"].map((name) => Number(node.getAttribute(name)));
    [this.font, this.base] = [font, this.role === "name" ? NAME : TEXT];
  }
  width(size, text = this.full) { return (widthOf(text, this.font) * size) / 100; }

  hide() { this.node.style.display = "none"; }
  show(text, x, size, drop) {
    this.node.style.display = "";
    if (this.node.firstChild.data !== text) this.node.firstChild.data = text;
    if (text === this.full) delete this.node.dataset.full; else this.node.dataset.full = this.full;
    this.node.style.fontSize = size === this.base ? "" : `${size}px`;
    this.node.setAttribute("x", x);
    this.node.setAttribute("y", drop(this, size));
  }
  asDrawn() { if (this.full) this.show(this.full, this.x, this.base, () => this.y); }

  // As much of both ends as there is room for.
  shortened(size, room) {
    if (this.width(size) <= room) return this.full;
    let kept = Math.min(this.full.length - 1, Math.ceil((this.full.length * room) / this.width(size)) + 1);
    for (; kept > 1; kept -= 1) {
      const tail = Math.floor(kept / 3);
      const short = `${this.full.slice(0, kept - tail)}…${tail ? this.full.slice(-tail) : ""}`;
      if (this.width(size, short) <= room) return short;
    }
    return this.full.slice(0, 1);
  }
}

// One line of texts: a name or the like, its notes, its badge.
class Line {
  constructor(labels, right, symbol, { least, drop }) {
    [this.right, this.symbol, this.least, this.drop] = [right, symbol, least, drop];
    this.sign = labels.find((one) => one.role === "sign");
    [this.main, ...this.notes] = labels.filter((one) => one !== this.sign);
    this.at = symbol?.getAttribute("transform");
  }
  get labels() { return [this.main, ...this.notes, ...(this.sign ? [this.sign] : [])]; }

  arrange(k) {
    const isPlain = LEAST / k <= TEXT;
    if (isPlain || k < this.least) {
      for (const one of this.labels) if (isPlain) one.asDrawn(); else one.hide();
      if (this.symbol) this.#symbol(isPlain ? null : this.right, clamp(LEAST / k / TEXT, 1, 3));
      return;
    }
    this.#fill(LEAST / k);
  }
  #fill(size) {
    const by = size / TEXT;
    const room = this.right - this.main.x - (this.symbol ? GAP + SYMBOL * by : 0);
    const text = this.main.shortened(size, room);
    const taken = this.main.width(size, text);
    this.main.show(text, this.main.x, size, this.drop);
    let left = room - taken - GAP;
    let edge = this.right;
    if (this.sign) {
      const width = this.sign.width(size);
      if (width <= left) { edge -= width; left -= width + GAP; this.sign.show(this.sign.full, edge, size, this.drop); } else this.sign.hide();
    }
    if (this.symbol) this.#symbol(edge, by);
    for (const note of this.notes) {
      if (note.width(size) <= left) note.show(note.full, this.main.x + taken + GAP, size, this.drop); else note.hide();
    }
  }
  #symbol(edge, by) {
    if (edge === null) { this.symbol.setAttribute("transform", this.at); return; }
    const [, y] = this.at.match(/translate\(\S+ ([^)]+)\)/);
    this.symbol.setAttribute("transform", `translate(${edge - (SYMBOL / 2) * by} ${y}) scale(${by})`);
  }
}

function kindOf(mark) { return ["row", "cell", "box"].find((kind) => mark.classList.contains(kind)); }

const down = (share) => (label, size) => label.y + (size - label.base) * share;

// A title stays above the databases; where these are no longer drawn, it hangs from the top of its box.
const title = ({ y }) => (label, size) => {
  const isAlone = LEAST / size < DATABASES;
  return isAlone ? y + ABOVE * size : Math.min(down(0.75)(label, size), y + HEAD - BELOW * size);
};

// Where the line of a text goes as the text grows, and the scale below which it has no room.
function look(kind, index, area) {
  if (kind === "row") return { least: ROWS, drop: down(0.35) };
  if (kind === "cell") return index ? { least: SERVICES, drop: down(0.35) } : { least: DATABASES, drop: down(0.5) };
  return index ? { least: SECOND_LINES, drop: down(0.75) } : { least: 0, drop: title(area) };
}

function linesOf(mark, known) {
  const [kind, area] = [kindOf(mark), drawnArea(mark)];
  const byHeight = new Map();
  for (const node of mark.querySelectorAll(":scope > text")) {
    const label = new Label(node, known[node.getAttribute("class")]);
    byHeight.set(label.y, [...(byHeight.get(label.y) ?? []), label]);
  }
  const hasFold = kind === "cell" && mark.parentNode.querySelector(`a.fold[data-fold="${CSS.escape(mark.dataset.ref)}"]`);
  return [...byHeight.values()].filter((labels) => labels.some((one) => one.role !== "sign")).map((labels, index) => {
    const right = area.x + area.w - PAD - (hasFold && !index ? FOLD : 0);
    return new Line(labels, right, labels.some((one) => one.role === "sign") ? mark.querySelector(":scope > path.symbol") : null, look(kind, index, area));
  });
}

export function startLabels(viewport) {
  let [lines, last] = [[], 0];
  function arrange(k) {
    if (k === last) return;
    last = k;
    picture.classList.toggle("far", k < DATABASES);
    for (const line of lines) line.arrange(k);
  }
  function read() {
    const known = fonts();
    lines = marks().flatMap((mark) => linesOf(mark, known));
    last = 1;
    arrange(viewport.k);
  }
  when("drawn", read);
  viewport.onSettled(() => arrange(viewport.k));
  read();
}

// Quick add: a double click on empty map, `a` or the button opens a field; the choice opens its form.
import { isFree } from "../keys.js";
import { putBox } from "./boxes.js";
import { focusedDatabase } from "./handles.js";
import { kindOf, marks, namesOf, pane, when } from "./picture.js";
import { selectedIn } from "./panel.js";
import { filled } from "./targets.js";

const SHOWN = 12;
const OCCUPIED = "a.mark, a.fold, .float, .minimap, g.handle, g.end";
const EDGE = 12;
// The height that is kept for it below where it opens, and that of its parts beside the list.
const [ROOM, OTHERS] = [320, 110];

// The place of a selected or focused thing stands first.
function contexts() {
  const refs = [focusedDatabase(), selectedIn(location.href)].filter(Boolean);
  return [...new Set(refs)].filter((ref) => ["instance", "database"].includes(kindOf(ref)));
}

function entriesOf(ref, words) {
  const place = namesOf(ref).join("/");
  if (kindOf(ref) === "instance") return [{ kind: "database", text: filled(words.databaseOf, place), query: { place } }];
  return [
    { kind: "route", text: filled(words.routeOf, place), query: { place } },
    { kind: "service", text: filled(words.serviceOf, place), query: { place } },
  ];
}

function placesOnTheMap() {
  const seen = marks().filter((mark) => !mark.matches(".dropped") && !("aside" in mark.dataset));
  return seen.map((mark) => mark.dataset.ref).filter((ref) => ["instance", "database"].includes(kindOf(ref)));
}

function allEntries(words) {
  const near = contexts();
  const others = placesOnTheMap().filter((ref) => !near.includes(ref));
  const base = ["route", "service", "database", "instance"].map((kind) => ({ kind, text: words[kind], query: {} }));
  return { first: [...near.flatMap((ref) => entriesOf(ref, words)), ...base], all: others.flatMap((ref) => entriesOf(ref, words)) };
}

// Entries that hold each typed word; then new things that have the typed text as their name.
function found({ first, all }, typed, words) {
  const parts = typed.toLowerCase().split(/\s+/).filter(Boolean);
  if (!parts.length) return first.slice(0, SHOWN);
  const fit = [...first, ...all].filter(({ text }) => parts.every((part) => text.toLowerCase().includes(part)));
  const named = ["instance", "database", "service"].map((kind) => ({ kind, text: filled(words[`${kind}Named`], typed), query: { name: typed } }));
  return [...fit.slice(0, SHOWN - named.length), ...named];
}

class Quick {
  #entries = { first: [], all: [] };
  #shown = [];
  #at = 0;

  constructor(dialog, choose) {
    [this.dialog, this.choose] = [dialog, choose];
    this.field = dialog.querySelector("input");
    this.list = dialog.querySelector("ul");
    this.field.addEventListener("input", () => this.#show());
    this.field.addEventListener("keydown", (event) => this.#key(event));
    this.list.addEventListener("click", (event) => {
      const option = event.target.closest("[role=option]");
      if (option) this.#take([...this.list.children].indexOf(option));
    });
    // A press beside it closes it.
    dialog.addEventListener("pointerdown", (event) => { if (event.target === dialog && this.#isBeside(event)) dialog.close(); });
  }

  #isBeside({ clientX, clientY }) {
    const { left, right, top, bottom } = this.dialog.getBoundingClientRect();
    return clientX < left || clientX > right || clientY < top || clientY > bottom;
  }

  open(at) {
    this.field.value = "";
    this.#entries = allEntries(this.dialog.dataset);
    this.dialog.showModal();
    this.#show();
    const place = (value, size, room) => Math.max(EDGE, Math.min(value, room - size - EDGE));
    const top = place(at.y, ROOM, innerHeight);
    this.dialog.style.left = `${place(at.x, this.dialog.offsetWidth, innerWidth)}px`;
    this.dialog.style.top = `${top}px`;
    this.list.style.maxHeight = `${Math.max(ROOM - OTHERS, Math.min(innerHeight * 0.44, innerHeight - top - OTHERS - EDGE))}px`;
    this.field.focus();
  }

  #show() {
    this.#shown = found(this.#entries, this.field.value.trim(), this.dialog.dataset);
    this.list.replaceChildren(...this.#shown.map(({ text, kind }, index) => {
      const option = document.createElement("li");
      Object.assign(option, { id: `quick-${index}`, textContent: text, className: kind });
      option.setAttribute("role", "option");
      return option;
    }));
    this.#go(0);
  }

  #go(index) {
    const options = [...this.list.children];
    this.#at = (index + options.length) % options.length;
    options.forEach((one, number) => one.setAttribute("aria-selected", number === this.#at));
    this.field.setAttribute("aria-activedescendant", `quick-${this.#at}`);
    options[this.#at].scrollIntoView({ block: "nearest" });
  }

  #key(event) {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step) { event.preventDefault(); this.#go(this.#at + step); }
    if (event.key === "Enter" && !event.isComposing) { event.preventDefault(); this.#take(this.#at); }
  }

  #take(index) {
    this.dialog.close();
    this.choose(this.#shown[index]);
  }
}

// Where a new instance was wanted: there its box stands once it is written. Moving a box is no edit.
function startPlacing() {
  let [place, ref] = [null, ""];
  document.addEventListener("draft:cancelled", () => { place = null; });
  document.addEventListener("draft:written", ({ detail }) => { ref = selectedIn(detail.url); });
  when("drawn", () => {
    if (place && ref && kindOf(ref) === "instance") putBox(ref, place);
    [place, ref] = [null, ""];
  });
  return (point) => { place = point && { x: Math.round(point.x), y: Math.round(point.y) }; };
}

export function startQuick(viewport, forms) {
  const want = startPlacing();
  let point = null;
  const quick = new Quick(document.getElementById("quick"), ({ kind, query }) => {
    want(kind === "instance" ? point : null);
    forms[kind].show(query);
  });
  const middle = () => {
    const { x, y, width } = pane.getBoundingClientRect();
    return { x: x + width / 2 - 170, y: y + 64 };
  };
  const open = (at, inPicture = null) => { point = inPicture; quick.open(at); };
  pane.addEventListener("dblclick", (event) => {
    if (event.target.closest(OCCUPIED) || pane.classList.contains("selecting")) return;
    open({ x: event.clientX, y: event.clientY }, viewport.inPicture(event));
  });
  document.addEventListener("keydown", (event) => {
    if (event.key !== "a" || !isFree(event)) return;
    event.preventDefault();
    open(middle());
  });
  const button = pane.querySelector("[data-act=add]");
  button.hidden = false;
  button.addEventListener("click", () => open(middle()));
}

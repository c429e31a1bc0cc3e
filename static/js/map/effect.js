// The line of effect: what the draft changes, or would with edits that are only tried. An older answer is never shown unmarked.
const WAIT_MS = 140;
const KEPT = 30;

export class Effect {
  #known = new Map();
  #number = 0;
  #timer;

  constructor(place, url, token) { [this.place, this.url, this.token] = [place, url, token]; }

  // Edits are those of the REST interface; none: the draft as it is. A function is asked for them once the user rests.
  show(edits = []) {
    const number = ++this.#number;
    clearTimeout(this.#timer);
    this.stale(true);
    this.#timer = setTimeout(() => this.#ask(number, edits), WAIT_MS);
  }

  // Say why something cannot be, in place of what it would change.
  refuse(reason) {
    ++this.#number;
    clearTimeout(this.#timer);
    const line = document.getElementById("effect-refused").content.cloneNode(true);
    line.querySelector(".effect-sentence").textContent = reason;
    this.place.replaceChildren(line);
    this.stale(false);
  }

  forget() { this.#known.clear(); }

  stale(is) {
    this.place.classList.toggle("stale", is);
    this.place.setAttribute("aria-busy", is);
  }

  async #ask(number, edits) {
    const text = JSON.stringify(await (typeof edits === "function" ? edits() : edits));
    if (number !== this.#number) return;
    const found = this.#known.get(text) ?? await this.#fetch(text);
    if (number !== this.#number) return;
    this.place.innerHTML = found;
    htmx.process(this.place);
    this.#keep(text, found);
    this.stale(false);
  }

  async #fetch(edits) {
    const old = this.place.querySelector(".effect-sentence")?.textContent.trim() ?? "";
    const body = new URLSearchParams({ ...(edits === "[]" ? {} : { edits }), old, csrfmiddlewaretoken: this.token });
    const answer = await fetch(this.url, { method: "POST", body, headers: { "HX-Request": "true", Accept: "text/html" }, credentials: "same-origin" });
    return answer.ok ? answer.text() : "";
  }

  // A line that still counts goes on by itself, and is asked for again.
  #keep(text, found) {
    if (found.includes('data-state="counting"')) return;
    if (this.#known.size >= KEPT) this.#known.delete(this.#known.keys().next().value);
    this.#known.set(text, found);
  }
}

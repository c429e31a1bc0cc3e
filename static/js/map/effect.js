// The line of effect: what the draft changes, or would with edits that are only tried. An older answer is never shown unmarked.
const WAIT_MS = 140;
const KEPT = 30;

export class Effect {
  #known = new Map();
  #number = 0;
  #timer;

  constructor(place, url, token) { [this.place, this.url, this.token] = [place, url, token]; }

  // Edits are those of the REST interface; none: the draft as it is. A promise of edits is waited for.
  show(edits = []) {
    if (!this.place) return;
    const number = ++this.#number;
    clearTimeout(this.#timer);
    this.#stale(true);
    this.#timer = setTimeout(() => this.#ask(number, edits), WAIT_MS);
  }

  // What could not be tried says why, in place of an effect.
  refuse(reason) {
    if (!this.place) return;
    this.#number += 1;
    clearTimeout(this.#timer);
    const line = document.createElement("p");
    line.className = "map-refused";
    line.textContent = reason;
    this.place.replaceChildren(line);
    this.#stale(false);
  }

  forget() { this.#known.clear(); }

  async #ask(number, edits) {
    const text = JSON.stringify(await edits);
    if (number !== this.#number) return;
    const found = this.#known.get(text) ?? await this.#fetch(text);
    if (number !== this.#number) return;
    this.#keep(text, found);
    this.place.innerHTML = found;
    htmx.process(this.place);
    this.#stale(false);
  }

  async #fetch(edits) {
    const body = new URLSearchParams({ edits, csrfmiddlewaretoken: this.token });
    const answer = await fetch(this.url, { method: "POST", body, headers: { "HX-Request": "true", Accept: "text/html" }, credentials: "same-origin" });
    return answer.text();
  }

  // What is still counted is asked again.
  #keep(text, found) {
    if (found.includes('data-state="counting"')) return;
    if (this.#known.size >= KEPT) this.#known.delete(this.#known.keys().next().value);
    this.#known.set(text, found);
  }

  #stale(is) {
    this.place.classList.toggle("stale", is);
    this.place.setAttribute("aria-busy", is);
  }
}

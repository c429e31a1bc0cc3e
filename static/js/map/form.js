// The forms of the draft, filled in by the server, in the panel.
import { namesOf } from "./picture.js";
import { showInPanel } from "./panel.js";

const PIECE = { headers: { "HX-Request": "true", Accept: "text/html" }, credentials: "same-origin" };

export class DraftForm {
  constructor(url) { this.url = url; }

  #address(query) {
    const to = new URL(this.url, location.href);
    for (const [name, value] of Object.entries(query)) {
      for (const one of [value].flat()) to.searchParams.append(name, one);
    }
    return to.pathname + to.search;
  }

  show(query) { return showInPanel(this.#address(query)); }

  // The edits that the form would add as the server fills it in.
  async edits(query) {
    const answer = await fetch(this.#address(query), PIECE);
    if (!answer.ok) return [];
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    const found = page.querySelector("[data-edits]:not([data-invalid])");
    return found ? JSON.parse(found.dataset.edits) : [];
  }
}

// Where a route begins, as the form of routes takes it.
export function fromDatabase(ref) {
  const [instance, database] = namesOf(ref);
  return { from_instance: instance, from_database: database };
}

// The form of a route, filled in by the server, in the panel.
import { namesOf } from "./picture.js";
import { showInPanel } from "./panel.js";

export class RouteForm {
  constructor(url) { this.url = url; }

  address(ref, query) {
    const [instance, database] = namesOf(ref);
    const to = new URL(this.url, location.href);
    for (const [name, value] of Object.entries({ from_instance: instance, from_database: database, ...query })) to.searchParams.set(name, value);
    return to.pathname + to.search;
  }

  async open(ref, query) {
    await showInPanel(this.address(ref, query));
    document.querySelector("#panel :is(input:not([type=hidden]), select, textarea):not([disabled])")?.focus();
  }

  // The edits that the form would add as the server fills it in.
  async edits(ref, query) {
    const answer = await fetch(this.address(ref, query), { headers: { "HX-Request": "true", Accept: "text/html" }, credentials: "same-origin" });
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    const edits = page.querySelector("[data-edits]")?.dataset.edits;
    return edits ? JSON.parse(edits) : [];
  }
}

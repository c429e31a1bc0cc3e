// Puts a new picture of the server in place of the present one: no box jumps, and the visible part stays.
import { announce, picture } from "./picture.js";
import { placeAll, placesOfAll } from "./boxes.js";

// The panel, the count of highlighted things, the bars of estate and draft.
const FOLLOWING = ["#panel", "#reach", ".bar-estate", ".draft-bar"];
let latest = 0;

export async function refresh(url = location.href) {
  const number = ++latest;
  const answer = await fetch(url, { headers: { Accept: "text/html" }, credentials: "same-origin" });
  if (!answer.ok) { location.assign(url); return; }
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  const fresh = page.querySelector("#canvas svg.net");
  if (number !== latest) return;
  if (!fresh) { location.assign(url); return; }
  const [known, focused] = [placesOfAll(), document.activeElement?.closest?.("svg.net a")?.dataset.ref];
  for (const id of FOLLOWING) {
    const [here, there] = [document.querySelector(id), page.querySelector(id)];
    if (here && there) { here.innerHTML = there.innerHTML; htmx.process(here); }
  }
  // It is for those without scripts, until the choice is changed by keys.
  for (const go of document.querySelectorAll("[data-estate-go]")) go.hidden = true;
  picture.replaceChildren(...fresh.childNodes);
  for (const name of ["width", "height"]) {
    picture.dataset[name] = fresh.dataset[name];
    picture.setAttribute(name, fresh.dataset[name]);
  }
  picture.setAttribute("viewBox", fresh.getAttribute("viewBox"));
  placeAll(known);
  announce("drawn", { page, focused });
}

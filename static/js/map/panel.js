// The selection, and the panel with its details, without a new page.
import { marks, when } from "./picture.js";
import { refresh } from "./refresh.js";

const panel = document.getElementById("panel");
// What the picture shows: the address without the selection.
let drawn = shownBy(location.href);

function shownBy(url) {
  const { searchParams } = new URL(url, location.href);
  searchParams.delete("select");
  return searchParams.toString();
}

export function selectedIn(url) { return new URL(url, location.href).searchParams.get("select") ?? ""; }

function mark(select) {
  for (const link of document.querySelectorAll("#main a[data-ref]")) {
    if (link.dataset.ref === select && !("aside" in link.dataset) && !panel.contains(link)) link.setAttribute("aria-current", "true");
    else link.removeAttribute("aria-current");
  }
}

// Load an address into the panel; of several requests the last one is shown.
export async function showInPanel(url) {
  await htmx.ajax("GET", url, { target: "#panel", swap: "innerHTML" });
  document.getElementById("live").textContent = panel.querySelector("h2")?.innerText ?? "";
}

async function show(url) {
  if (marks().length && shownBy(url) !== drawn) { await refresh(url); return; }
  await showInPanel(url);
  mark(selectedIn(url));
}

export function select(url) {
  const to = new URL(url, location.href);
  history.pushState(null, "", to.pathname + to.search + location.hash);
  return show(to.pathname + to.search);
}

export function close() {
  if (!selectedIn(location.href)) return;
  const to = new URL(location.href);
  for (const name of ["select", "reach"]) to.searchParams.delete(name);
  select(to.href);
}

function isPlain(event) { return event.button === 0 && !(event.ctrlKey || event.metaKey || event.shiftKey || event.altKey); }

export function startPanel(onSelect) {
  document.addEventListener("click", (event) => {
    const link = event.target.closest("#main a[data-ref], #main a[data-close]");
    if (!link || !isPlain(event) || event.defaultPrevented) return;
    event.preventDefault();
    if (marks().includes(link)) onSelect(link);
    select(link.getAttribute("href"));
  });
  addEventListener("popstate", () => show(location.pathname + location.search));
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && !event.defaultPrevented && !document.querySelector("dialog[open]")) close();
  });
  if (marks().length) when("drawn", () => { drawn = shownBy(location.href); mark(selectedIn(location.href)); });
}

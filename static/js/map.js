// The map: a panel without a new page, keys that follow the routes, sizes of the picture.
const panel = document.getElementById("panel");
const picture = document.querySelector("svg.net[data-width]");
const marks = picture ? [...picture.querySelectorAll("a.mark")] : [];
let cameFrom = null;

// -- What is selected ------------------------------------------------------------------------------------
function selectedIn(url) { return new URL(url, location.href).searchParams.get("select") ?? ""; }

function mark(select) {
  for (const link of document.querySelectorAll("#main a[data-ref]")) {
    if (link.dataset.ref === select && !("aside" in link.dataset) && !panel.contains(link)) link.setAttribute("aria-current", "true");
    else link.removeAttribute("aria-current");
  }
}

async function show(url) {
  await htmx.ajax("GET", url, { target: "#panel", swap: "innerHTML" });
  mark(selectedIn(url));
  document.getElementById("live").textContent = panel.querySelector("h2")?.innerText ?? "";
}

// The address of a link is that of the page as it was made; what changed since then stands in the address bar.
function withZoom(url) {
  const to = new URL(url, location.href);
  const zoom = new URLSearchParams(location.search).get("zoom");
  if (zoom) to.searchParams.set("zoom", zoom); else to.searchParams.delete("zoom");
  return to.pathname + to.search;
}

function isPlain(event) { return event.button === 0 && !(event.ctrlKey || event.metaKey || event.shiftKey || event.altKey); }

document.addEventListener("click", (event) => {
  const link = event.target.closest("#main a[data-ref], #main a[data-close]");
  if (!link || !isPlain(event)) return;
  event.preventDefault();
  const url = withZoom(link.getAttribute("href"));
  history.pushState(null, "", url);
  if (marks.includes(link)) rove(link);
  show(url);
});
addEventListener("popstate", () => show(location.pathname + location.search));

function close() {
  if (!selectedIn(location.href)) return;
  const to = new URL(location.href);
  to.searchParams.delete("select");
  history.pushState(null, "", to);
  show(to.pathname + to.search);
}

// -- Keys ------------------------------------------------------------------------------------------------
function rove(to) {
  for (const one of marks) one.setAttribute("tabindex", one === to ? "0" : "-1");
}

function go(to) {
  if (!to) return;
  rove(to);
  to.focus({ preventScroll: true });
  to.querySelector("rect").scrollIntoView({ block: "nearest", inline: "nearest" });
}

function headOf(one) { return one.closest(".shape").querySelector("a.mark"); }
function targets(one) { return (one.dataset.to ?? "").split(" ").filter(Boolean); }
function byRef(ref) { return marks.find((one) => one.dataset.ref === ref); }

// Along the route; from a box or a database to its first route that leads on.
function forth(one) {
  const [to] = targets(one);
  if (to) { cameFrom = one; return byRef(to); }
  return [...one.closest(".shape").querySelectorAll("a.mark[data-to]")][0];
}

// To the box; from a box to the route that led here.
function back(one) {
  const head = headOf(one);
  if (one !== head) return head;
  const here = one.dataset.ref;
  if (cameFrom && targets(cameFrom).includes(here)) return cameFrom;
  return marks.find((other) => targets(other).includes(here));
}

const MOVES = {
  ArrowDown: (one) => marks[marks.indexOf(one) + 1],
  ArrowUp: (one) => marks[marks.indexOf(one) - 1],
  ArrowRight: forth,
  ArrowLeft: back,
  Home: () => marks[0],
  End: () => marks.at(-1),
};

document.addEventListener("keydown", (event) => {
  if (event.key === "Escape" && !document.querySelector("dialog[open]")) { close(); return; }
  const one = event.target.closest?.("svg.net a.mark");
  if (!one || !MOVES[event.key] || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  go(MOVES[event.key](one));
});

// -- Size ------------------------------------------------------------------------------------------------
function resize(link) {
  const { zoom } = link.dataset;
  picture.closest(".picture").className = `scroll picture ${zoom}`;
  const scale = Number(zoom) / 100 || 1;
  picture.setAttribute("width", String(picture.dataset.width * scale));
  picture.setAttribute("height", String(picture.dataset.height * scale));
  for (const other of document.querySelectorAll("[data-zoom]")) {
    if (other === link) other.setAttribute("aria-current", "true"); else other.removeAttribute("aria-current");
  }
  const to = new URL(location.href);
  if (zoom === "auto") to.searchParams.delete("zoom"); else to.searchParams.set("zoom", zoom);
  history.replaceState(null, "", to);
}
for (const link of document.querySelectorAll("[data-zoom]")) {
  link.addEventListener("click", (event) => {
    if (!isPlain(event)) return;
    event.preventDefault();
    resize(link);
  });
}

// What is in the middle of the map, or selected on it, is what one looks for first.
function bring(one) {
  const pane = one.closest(".picture");
  const [here, there] = [pane.getBoundingClientRect(), one.querySelector("rect").getBoundingClientRect()];
  if (there.right > here.right || there.bottom > here.bottom) {
    pane.scrollTo(there.left - here.left - (here.width - there.width) / 2, there.top - here.top - here.height / 4);
  }
}

document.querySelector(".map-keys")?.removeAttribute("hidden");
const first = marks.find((one) => one.hasAttribute("aria-current")) ?? byRef(picture?.dataset.middle) ?? marks[0];
if (first) { rove(first); bring(first); }

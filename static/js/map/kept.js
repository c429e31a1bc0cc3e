// Keeps the visible part of the picture, in this tab, and the places of moved boxes, in the address and this browser.
const PARAMETERS = ["scenario", "as_of", "draft", "focus", "hops", "first", "last", "service", "view"];
const KEEP_MS = 200;
let timer;

// The key of a view: the same for the same part of the same estate, whichever box is selected or opened.
function viewName(kind) {
  const query = new URLSearchParams(location.search);
  return [`map ${kind}`, ...PARAMETERS.map((name) => query.get(name) ?? "")].join("\n");
}

function read(storage, kind) {
  try { return JSON.parse(storage().getItem(viewName(kind))); } catch { return null; }
}

function write(storage, kind, value) {
  try {
    if (value === null) storage().removeItem(viewName(kind)); else storage().setItem(viewName(kind), JSON.stringify(value));
  } catch { /* private mode: not kept */ }
}

const [inTab, inBrowser] = [() => sessionStorage, () => localStorage];

// -- The part that is seen ---------------------------------------------------------------------------------
export function keptView() { return read(inTab, "seen"); }

export function keepView({ x, y, k }) {
  clearTimeout(timer);
  timer = setTimeout(() => write(inTab, "seen", { x, y, k }), KEEP_MS);
}

// -- Where boxes were put: `#moved=REF,X,Y;REF,X,Y`, so that a link to the view has it ------------------------
export function keptPlaces() {
  const shared = new URLSearchParams(location.hash.slice(1)).get("moved") ?? document.querySelector("#canvas")?.dataset.places;
  const texts = shared?.split(";") ?? read(inBrowser, "moved") ?? [];
  return new Map(texts.map((text) => text.split(",")).filter((parts) => parts.length === 3 && parts.slice(1).every((one) => Number.isFinite(Number(one))))
    .map(([ref, x, y]) => [ref, { x: Number(x), y: Number(y) }]));
}

export function placesAsTexts(places) { return [...places].map(([ref, { x, y }]) => `${ref},${x},${y}`); }

export function keepPlaces(places) {
  const texts = placesAsTexts(places);
  write(inBrowser, "moved", texts);
  setHash(`moved=${encodeURIComponent(texts.join(";"))}`);
}

export function forgetPlaces() {
  write(inBrowser, "moved", null);
  setHash("");
}

function setHash(hash) { history.replaceState(history.state, "", `${location.pathname}${location.search}${hash ? `#${hash}` : ""}`); }

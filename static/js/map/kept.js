// Keep the visible part of the picture when the page is loaded again in this tab.
const PARAMETERS = ["scenario", "as_of", "draft", "focus", "hops", "first", "last", "service"];
const KEEP_MS = 200;
let timer;

// Return a key for the same view of the same estate, whatever is selected or opened on it.
export function viewName() {
  const query = new URLSearchParams(location.search);
  return PARAMETERS.map((name) => query.get(name) ?? "").join("\n");
}

export function keptView() {
  try { return JSON.parse(sessionStorage.getItem(`map ${viewName()}`)); } catch { return null; }
}

export function keepView({ x, y, k }) {
  clearTimeout(timer);
  timer = setTimeout(() => {
    try { sessionStorage.setItem(`map ${viewName()}`, JSON.stringify({ x, y, k })); } catch { /* private mode: not kept */ }
  }, KEEP_MS);
}

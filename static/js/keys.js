// Whether a single key is ours: nobody is typing, no dialog is open, and the user has not turned such keys off.
const STORE = "shortcuts";

// The preferences of the user, which the server writes on <html>, stand above those of this browser.
export function isOn() {
  if (document.documentElement.dataset.keys === "off") return false;
  try { return localStorage.getItem(STORE) !== "off"; } catch { return true; }
}

export function setOn(on) {
  try { localStorage.setItem(STORE, on ? "on" : "off"); } catch { /* private mode: for this page only */ }
}

function isTyping(target) {
  return (target.closest?.("input:not([type=checkbox]), select, textarea, [contenteditable]") ?? null) !== null;
}

export function isFree(event) {
  const plain = !(event.ctrlKey || event.metaKey || event.altKey || event.isComposing || event.defaultPrevented);
  return plain && isOn() && !isTyping(event.target) && !document.querySelector("dialog[open]");
}

// Whether a single key is ours: nobody is typing, no dialog is open, and the user has not turned such keys off.
// The server writes the choice into the page, and keeps it.
export function isOn() {
  return document.documentElement.dataset.keys !== "off";
}

export function setOn(on, form) {
  document.documentElement.dataset.keys = on ? "on" : "off";
  const body = new FormData(form);
  body.set("keys", on ? "on" : "off");
  fetch(form.action, { method: "POST", body, redirect: "manual", keepalive: true }).catch(() => {});
}

function isTyping(target) {
  return (target.closest?.("input:not([type=checkbox]), select, textarea, [contenteditable]") ?? null) !== null;
}

export function isFree(event) {
  const plain = !(event.ctrlKey || event.metaKey || event.altKey || event.isComposing || event.defaultPrevented);
  return plain && isOn() && !isTyping(event.target) && !document.querySelector("dialog[open]");
}

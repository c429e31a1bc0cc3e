// Keys for rows: j and k go to the next and the previous one, x ticks, e edits, Escape closes the panel beside them.
const STORE = "shortcuts";

function isOn() {
  try { return localStorage.getItem(STORE) !== "off"; } catch { return true; }
}

function isTyping(target) {
  return target.closest?.("input:not([type=checkbox]), select, textarea, [contenteditable]") !== null;
}

const rows = () => [...document.querySelectorAll("[data-row]")];
const here = () => document.activeElement?.closest?.("[data-row]") ?? document.querySelector("[data-row][aria-current]");

function go(step) {
  const all = rows();
  const place = all.indexOf(here());
  const next = all[place < 0 ? 0 : Math.min(Math.max(place + step, 0), all.length - 1)];
  next?.querySelector("[data-row-link]")?.focus();
  next?.scrollIntoView({ block: "nearest" });
  return Boolean(next);
}

function press(selector, root = document) {
  const found = root?.querySelector(selector);
  found?.click();
  return Boolean(found);
}

const ACTS = {
  j: () => go(1),
  k: () => go(-1),
  x: () => press("input[type=checkbox]", here()),
  e: () => press("[data-edit]"),
};

document.addEventListener("keydown", (event) => {
  const plain = !(event.ctrlKey || event.metaKey || event.altKey || event.isComposing || event.defaultPrevented);
  if (!plain || document.querySelector("dialog[open]") || isTyping(event.target)) return;
  if (event.key === "Escape" && press("[data-close]")) event.preventDefault();
  else if (isOn() && ACTS[event.key]?.()) event.preventDefault();
});

// Mark the row that the panel shows and move the focus into the panel; when it closes, move the focus to the row.
let chosen = document.querySelector("[data-row][aria-current]");
document.addEventListener("click", (event) => {
  const link = event.target.closest("[data-row-link]");
  if (link) chosen = link.closest("[data-row]");
});
// Wait for htmx to settle: until then the link that closes the panel would load a whole page.
document.addEventListener("htmx:afterSettle", (event) => {
  if (event.target.id !== "panel") return;
  for (const row of rows()) row.removeAttribute("aria-current");
  const title = document.getElementById("panel-title");
  if (title) chosen?.setAttribute("aria-current", "true");
  (title ?? chosen?.querySelector("[data-row-link]"))?.focus();
});

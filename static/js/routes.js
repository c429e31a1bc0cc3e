// The panel beside a table: it marks the row that it shows and takes the focus; when it closes, the row has the focus.
// Escape closes it.
const rows = () => document.querySelectorAll("[data-row]");
let chosen = document.querySelector("[data-row][aria-current]");

document.addEventListener("keydown", (event) => {
  const isPlain = event.key === "Escape" && !event.isComposing && !event.defaultPrevented;
  const close = document.querySelector("[data-close]");
  if (!isPlain || !close || document.querySelector("dialog[open]")) return;
  if (event.target.closest?.("input:not([type=checkbox]), select, textarea, [contenteditable]")) return;
  close.click();
  event.preventDefault();
});
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

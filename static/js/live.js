// Live content (data-live, hx-trigger="poll") polls every 3 s while the page is visible and the user has not paused it.
const EVERY_MS = 3000;
const piece = document.querySelector("[data-live]");
const pause = document.querySelector("[data-live-pause]");
const announcer = document.getElementById("live");
let seen = "";
let headline = currentHeadline();

function currentHeadline() { return piece?.querySelector("[data-headline]")?.textContent ?? ""; }
function isPaused() { return pause?.getAttribute("aria-pressed") === "true"; }

// Do not replace content while the user types in it, or has selected text.
function isBusy() {
  const selected = getSelection();
  return piece.querySelector("input:focus, details[open]") !== null
    || (!selected.isCollapsed && piece.contains(selected.anchorNode));
}

function ask() {
  if (piece && window.htmx && !document.hidden && !isPaused() && !isBusy()) window.htmx.trigger(piece, "poll");
}

document.addEventListener("htmx:configRequest", (event) => { if (seen) event.detail.headers.Seen = seen; });
document.addEventListener("htmx:afterRequest", (event) => { seen = event.detail.xhr.getResponseHeader("Seen") ?? seen; });
document.addEventListener("htmx:afterSettle", () => {
  const now = currentHeadline();
  if (now !== headline) announcer.textContent = now;
  headline = now;
});

if (pause) {
  pause.hidden = false;
  pause.addEventListener("click", () => {
    pause.setAttribute("aria-pressed", String(!isPaused()));
    ask();
  });
}
setInterval(ask, EVERY_MS);
document.addEventListener("visibilitychange", ask);

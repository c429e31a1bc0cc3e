// What keeps up (data-live, hx-trigger="poll") asks again while somebody can see it, and has not paused it.
const EVERY_MS = 3000;
const piece = document.querySelector("[data-live]");
const pause = document.querySelector("[data-live-pause]");
const said = document.getElementById("live");
let seen = "";
let headline = told();

function told() { return piece?.querySelector("[data-headline]")?.textContent ?? ""; }
function isPaused() { return pause?.getAttribute("aria-pressed") === "true"; }

// Nothing moves below who is typing, or has marked some text.
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
  const now = told();
  if (now !== headline) said.textContent = now;
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

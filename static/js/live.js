// Live content (data-live, hx-trigger="poll") polls every 3 s while the page is visible and the user has not paused it;
// every 15 s once nobody has moved, typed or scrolled on it for two minutes.
const EVERY_MS = 3000;
const IDLE_EVERY_MS = 15_000;
const IDLE_AFTER_MS = 120_000;
const SIGNS_OF_LIFE = ["pointermove", "pointerdown", "keydown", "scroll", "focusin"];
const piece = document.querySelector("[data-live]");
const pause = document.querySelector("[data-live-pause]");
const announcer = document.getElementById("live");
const updated = document.querySelector("[data-live-updated]");
const SECOND_MS = 1000;
// The ETag of the piece that the page shows: the server answers 304 where it would be the same.
let shown = "";
let looked = Date.now();
let polled = 0;
let used = Date.now();
let headline = currentHeadline();

function currentHeadline() { return document.querySelector("[data-headline]")?.textContent ?? ""; }
function isPaused() { return pause?.getAttribute("aria-pressed") === "true"; }

// Do not replace content while the user types in it, has selected text, or is about to press a button of a row.
function isBusy() {
  const selected = getSelection();
  return piece.querySelector("input:focus, input:checked:not(.menu input), details[open], .step:hover, .acts:hover") !== null
    || (!selected.isCollapsed && piece.contains(selected.anchorNode));
}

// How long ago the server looked: at the top, and beside everything that it looked at then.
function showAge() {
  const seconds = String(Math.round((Date.now() - looked) / SECOND_MS));
  for (const place of [updated, ...document.querySelectorAll("[data-live-ago]")]) {
    if (place) place.textContent = place.dataset.words.replace("%s", seconds);
  }
}

function ask() {
  if (!piece || !window.htmx || document.hidden || isPaused() || isBusy()) return;
  polled = Date.now();
  window.htmx.trigger(piece, "poll");
}

function isIdle() { return Date.now() - used > IDLE_AFTER_MS; }

function tick() {
  if (!isIdle() || Date.now() - polled >= IDLE_EVERY_MS) ask();
}

// The user is back: show the present at once.
function wake() {
  const wasIdle = isIdle();
  used = Date.now();
  if (wasIdle) ask();
}

document.addEventListener("htmx:configRequest", ({ detail }) => {
  if (shown && detail.elt === piece) detail.headers["If-None-Match"] = shown;
});
document.addEventListener("htmx:afterRequest", (event) => {
  if (event.detail.elt === piece) shown = event.detail.xhr.getResponseHeader("ETag") ?? shown;
  if (event.detail.successful) { looked = Date.now(); showAge(); }
});
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
showAge();
setInterval(showAge, SECOND_MS);
setInterval(tick, EVERY_MS);
document.addEventListener("visibilitychange", ask);
for (const sign of SIGNS_OF_LIFE) document.addEventListener(sign, wake, { passive: true, capture: true });

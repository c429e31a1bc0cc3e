// Elements that wait for a background job (data-poll, hx-trigger="poll") poll while the page is visible.
const EVERY_MS = 2000;

function ask() {
  if (document.hidden || !window.htmx) return;
  for (const waiting of document.querySelectorAll("[data-poll]")) window.htmx.trigger(waiting, "poll");
}

setInterval(ask, EVERY_MS);
document.addEventListener("visibilitychange", ask);

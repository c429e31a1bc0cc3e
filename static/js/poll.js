// What waits for work in the background (data-poll, hx-trigger="poll") asks again, while somebody can see it.
const EVERY_MS = 2000;

function ask() {
  if (document.hidden || !window.htmx) return;
  for (const waiting of document.querySelectorAll("[data-poll]")) window.htmx.trigger(waiting, "poll");
}

setInterval(ask, EVERY_MS);
document.addEventListener("visibilitychange", ask);

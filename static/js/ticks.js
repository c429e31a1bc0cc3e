// Poll a background job once a second, while the page is visible.
const SECOND = 1000;
setInterval(() => {
  if (document.hidden) return;
  for (const one of document.querySelectorAll("[data-ticks]")) htmx.trigger(one, "tick");
}, SECOND);

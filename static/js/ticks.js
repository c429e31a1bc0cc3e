// What is worked out in the background is asked about once a second, as long as somebody looks.
const SECOND = 1000;
setInterval(() => {
  if (document.hidden) return;
  for (const one of document.querySelectorAll("[data-ticks]")) htmx.trigger(one, "tick");
}, SECOND);

// The two maps of a way: a row that is opened shows them, and where one is scrolled, the other follows.
document.addEventListener("scroll", ({ target }) => {
  if (!target.matches?.(".way-map")) return;
  for (const other of target.closest(".effect-ways").querySelectorAll(".way-map")) {
    if (other !== target) other.scrollTo(target.scrollLeft, target.scrollTop);
  }
}, { capture: true, passive: true });

// A row that opens at the lower end of the window goes up, so that its maps are seen.
document.addEventListener("htmx:afterSettle", ({ target }) => {
  const detail = target.id === "effect" && target.querySelector(".effect-detail");
  if (detail && detail.getBoundingClientRect().bottom > innerHeight) detail.previousElementSibling.scrollIntoView({ block: "start" });
});

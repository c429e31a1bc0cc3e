// The two maps of a way show the same part: where one is scrolled, the other follows.
document.addEventListener("scroll", ({ target }) => {
  if (!target.matches?.(".way-map")) return;
  for (const other of target.closest(".effect-ways").querySelectorAll(".way-map")) {
    if (other !== target) other.scrollTo(target.scrollLeft, target.scrollTop);
  }
}, { capture: true, passive: true });

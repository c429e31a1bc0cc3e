// A link to an operation opens it.
function open() {
  const chosen = document.getElementById(location.hash.slice(1));
  if (!chosen?.matches(".operation")) return;
  chosen.open = true;
  chosen.scrollIntoView({ block: "start" });
}

document.addEventListener("toggle", (event) => {
  if (event.target.matches?.(".operation[open]")) history.replaceState(null, "", `#${event.target.id}`);
}, true);
window.addEventListener("hashchange", open);
open();

// Upstream and downstream of a thing: the server highlights them, and a user who may draw has them selected.
import { isFree } from "../keys.js";
import { kindOf } from "./picture.js";
import { selectedIn } from "./panel.js";
import { refresh } from "./refresh.js";

const BY_KEY = { u: "up", d: "down" };
const KINDS = new Set(["instance", "database", "route", "outside"]);

async function go({ pathname, search }) {
  history.pushState(null, "", pathname + search);
  await refresh(pathname + search);
  document.getElementById("live").textContent = document.querySelector("#reach [role=status]")?.textContent ?? "";
}

function addressOf(reach, select) {
  const to = new URL(location.href);
  if (reach) to.searchParams.set("reach", reach); else to.searchParams.delete("reach");
  if (select) to.searchParams.set("select", select);
  return to;
}

function byKey(event) {
  const ref = document.activeElement?.closest?.("svg.net a.mark")?.dataset.ref || selectedIn(location.href);
  if (!BY_KEY[event.key] || !KINDS.has(kindOf(ref)) || !isFree(event)) return;
  event.preventDefault();
  go(addressOf(BY_KEY[event.key], ref));
}

// Escape takes the highlight first, then the selection.
function leave(event) {
  if (event.key !== "Escape" || event.defaultPrevented || document.querySelector("dialog[open]")) return;
  if (event.target.closest?.("form, details[open]") || !new URL(location.href).searchParams.has("reach")) return;
  event.preventDefault();
  event.stopImmediatePropagation();
  go(addressOf(""));
}

export function startReach() {
  document.addEventListener("keydown", byKey);
  document.addEventListener("keydown", leave, { capture: true });
  document.addEventListener("click", (event) => {
    const link = event.target.closest("a[data-reach]");
    if (!link || event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    go(new URL(link.getAttribute("href"), location.href));
  });
}

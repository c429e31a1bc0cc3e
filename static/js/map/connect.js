// A route without a drag: `c` asks where it begins and where it leads, and opens the same form.
import { isFree } from "../keys.js";
import { kindOf, marks, namesOf } from "./picture.js";
import { focusedDatabase } from "./handles.js";
import { targetsFrom } from "./targets.js";

const dialog = document.getElementById("connect");

function option(value, text) {
  const one = document.createElement("option");
  [one.value, one.textContent] = [value, text];
  return one;
}

function databases() {
  return marks().filter((mark) => mark.matches(".cell:not(.dropped)") && kindOf(mark.dataset.ref) === "database").map((mark) => mark.dataset.ref);
}

export function startConnect(viewport, { tried, left, chosen }) {
  const [from, to, other] = ["connect-from", "connect-to", "connect-other"].map((id) => document.getElementById(id));
  const address = other.querySelector("input");
  let targets = [];

  function fillTargets() {
    targets = targetsFrom(namesOf(from.value)[0], viewport).filter((target) => !target.refused);
    targets.sort((one, two) => Boolean(one.isLocal) - Boolean(two.isLocal) || (one.ref === "other") - (two.ref === "other"));
    to.replaceChildren(...targets.map((target, index) => option(index, target.word)));
  }
  function query() {
    const target = targets[to.value];
    return target.ref === "other" ? { to_address: address.value.trim() } : target.query;
  }
  function changed() {
    const isOther = targets[to.value]?.ref === "other";
    other.hidden = !isOther;
    address.required = isOther;
    if (targets[to.value] && (!isOther || address.value.trim())) tried(from.value, query());
  }
  function open() {
    const known = databases();
    if (!known.length) return;
    from.replaceChildren(...known.map((ref) => option(ref, namesOf(ref).reverse().join(" · "))));
    from.value = focusedDatabase() ?? known[0];
    fillTargets();
    dialog.returnValue = "";
    dialog.showModal();
    to.focus();
    changed();
  }
  from.addEventListener("change", () => { fillTargets(); changed(); });
  to.addEventListener("change", changed);
  address.addEventListener("input", changed);
  dialog.addEventListener("close", () => {
    if (dialog.returnValue === "fill" && targets[to.value]) chosen(from.value, query()); else left();
  });
  document.addEventListener("keydown", (event) => {
    if (event.key !== "c" || !isFree(event)) return;
    event.preventDefault();
    open();
  });
  const button = document.querySelector("[data-act=connect]");
  button.hidden = false;
  button.addEventListener("click", open);
}

// Single keys: `?` lists them, `/` goes to the first field, two letters go to a place (data-keys on its link).
import { isFree, isOn, setOn } from "./keys.js";

const PAUSE_MS = 1200;
const dialog = document.getElementById("shortcuts");
const tick = dialog.querySelector("[data-shortcuts-on]");
let before = "";
let timer;

function focusFirst() {
  const main = document.getElementById("main");
  const field = main.querySelector("[data-first]") ??
    main.querySelector("input:not([type=hidden]):not([disabled]), select:not([disabled]), textarea:not([disabled])");
  field?.focus();
  return Boolean(field);
}

function go(keys) {
  const link = document.querySelector(`[data-keys="${CSS.escape(keys)}"]`);
  link?.click();
  return Boolean(link);
}

function act(key) {
  if (key === "?") { dialog.showModal(); return true; }
  if (key === "/") return focusFirst();
  const went = go(`${before} ${key}`);
  before = went ? "" : key;
  clearTimeout(timer);
  timer = setTimeout(() => { before = ""; }, PAUSE_MS);
  return went;
}

document.addEventListener("keydown", (event) => {
  if (event.key.length === 1 && isFree(event) && act(event.key)) event.preventDefault();
});

tick.checked = isOn();
tick.addEventListener("change", () => setOn(tick.checked, tick.form));
for (const opener of document.querySelectorAll("[data-opens]")) {
  opener.hidden = false;
  opener.addEventListener("click", () => document.getElementById(opener.dataset.opens).showModal());
}

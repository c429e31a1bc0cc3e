// Keys for the rows of every table and list with data-row-list: j and k move, x selects, X selects up to here, e opens.
// A row is an element with data-row, else a row of the table's body. Its main link is the one with data-row-link, else its
// first one; without a link the row itself takes the focus. Enter follows a link by itself.
import { isFree } from "./keys.js";

const MINE = "[data-row-list] [data-row], [data-row-list] tbody > tr, [data-row-list] > li:not(.cols)";
let lastSelected;

const isShown = (row) => row.checkVisibility();
const rows = () => [...document.querySelectorAll(MINE)].filter(isShown);
const rowOf = (element) => element?.closest?.(MINE) ?? null;
const current = () => document.querySelector("[data-row-list] [data-row][aria-current=true]");
const here = () => rowOf(document.activeElement) ?? current();
const linkOf = (row) => row.querySelector("[data-row-link]") ?? row.querySelector("a[href]");

function focusRow(row) {
  const target = linkOf(row) ?? row;
  if (target === row) row.tabIndex = -1;
  target.focus({ preventScroll: true });
}

function go(step) {
  const all = rows();
  const place = all.indexOf(here());
  const next = all[place < 0 ? 0 : Math.min(Math.max(place + step, 0), all.length - 1)];
  if (!next) return false;
  focusRow(next);
  next.scrollIntoView({ block: "nearest" });
  return true;
}

function press(found) {
  found?.click();
  return Boolean(found);
}

const boxOf = (row) => row?.querySelector("input[type=checkbox]:not(:disabled)");

function select() {
  lastSelected = here();
  return press(boxOf(lastSelected));
}

function selectUpToHere() {
  const all = rows();
  const ends = [all.indexOf(lastSelected), all.indexOf(here())].sort((a, b) => a - b);
  if (ends[0] < 0) return select();
  for (const box of all.slice(ends[0], ends[1] + 1).map(boxOf)) if (box && !box.checked) box.click();
  return true;
}

function open() {
  const row = here();
  if (!row) return false;
  const own = row.querySelector("[data-row-open], summary");
  return press(own ?? document.querySelector("[data-edit]") ?? linkOf(row));
}

const ACTS = { j: () => go(1), k: () => go(-1), x: select, X: selectUpToHere, e: open };

document.addEventListener("keydown", (event) => {
  if (isFree(event) && ACTS[event.key]?.()) event.preventDefault();
});

// -- Live updates replace the rows: the focus stays on its row, wherever the row has moved --------------------------
let held;
const nameOf = (row) => row.dataset.row || row.id || linkOf(row)?.getAttribute("href") || row.cells?.[0]?.textContent;

document.addEventListener("htmx:beforeSwap", () => {
  const row = rowOf(document.activeElement);
  const isOnRow = row && [row, linkOf(row)].includes(document.activeElement);
  held = row ? { name: nameOf(row), place: rows().indexOf(row), isOnRow } : undefined;
});
document.addEventListener("htmx:afterSettle", () => {
  if (!held) return;
  const isLost = document.activeElement === document.body || rowOf(document.activeElement);
  const all = rows();
  const row = all.find((one) => nameOf(one) === held.name) ?? all[Math.min(held.place, all.length - 1)];
  if (row && isLost && (held.isOnRow || document.activeElement === document.body)) focusRow(row);
  held = undefined;
});

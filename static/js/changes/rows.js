// The table of a draft: arrows go from cell to cell, Escape gives a cell its value back, a grid pasted into a cell
// spreads from there, and what the rows would bring follows while one types.
const form = document.querySelector("[data-rows]");
const WAIT_MS = 300;
let timer;

function cellsOf(row) { return [...row.querySelectorAll("input.cell")]; }
function lines() { return [...form.querySelectorAll("tr[data-line]")]; }
function place(cell) {
  const row = cell.closest("tr");
  return { row, column: cell.dataset.column ?? cell.name.replace(/-\d+$/, "") };
}
function at(row, column) { return row?.querySelector(`input.cell[name^="${CSS.escape(column)}-"]`); }

// -- What would be saved -----------------------------------------------------------------------------------------
function changed() {
  for (const row of lines()) row.classList.toggle("is-changed", cellsOf(row).some((cell) => cell.value !== cell.defaultValue));
  document.dispatchEvent(new CustomEvent("draft:typing", { bubbles: true }));
  clearTimeout(timer);
  timer = setTimeout(() => form.dispatchEvent(new CustomEvent("rows:changed")), WAIT_MS);
}

document.addEventListener("htmx:afterSettle", (event) => {
  if (event.target.id !== "rows-preview") return;
  for (const row of lines()) {
    const wrong = [...document.querySelectorAll(`#problem-${row.dataset.line} [data-column]`)].map((one) => one.dataset.column);
    row.classList.toggle("has-problems", wrong.length > 0);
    for (const cell of cellsOf(row)) {
      if (wrong.includes(place(cell).column)) cell.setAttribute("aria-invalid", "true"); else cell.removeAttribute("aria-invalid");
    }
  }
  const edits = JSON.parse(event.target.querySelector("[data-edits]").dataset.edits);
  document.dispatchEvent(new CustomEvent("draft:try", { detail: { edits }, bubbles: true, cancelable: true }));
});

// -- Keys --------------------------------------------------------------------------------------------------------
function step(cell, by) {
  const { row, column } = place(cell);
  const all = lines();
  const next = at(all[all.indexOf(row) + by], column);
  next?.focus();
  next?.select();
  return Boolean(next);
}

form.addEventListener("keydown", (event) => {
  const cell = event.target.closest("input.cell");
  if (!cell || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === "Escape" && cell.value !== cell.defaultValue) { cell.value = cell.defaultValue; changed(); event.preventDefault(); }
  else if (event.key === "ArrowDown" && step(cell, 1)) event.preventDefault();
  else if (event.key === "ArrowUp" && step(cell, -1)) event.preventDefault();
});
form.addEventListener("input", (event) => { if (event.target.matches("input.cell")) changed(); });

// -- A grid that is pasted into a cell -----------------------------------------------------------------------------
form.addEventListener("paste", (event) => {
  const cell = event.target.closest("input.cell");
  const text = event.clipboardData.getData("text/plain").replace(/\r\n?/g, "\n").replace(/\n$/, "");
  if (!cell || !/[\t\n]/.test(text)) return;
  event.preventDefault();
  const all = lines();
  const [first, left] = [all.indexOf(cell.closest("tr")), cellsOf(cell.closest("tr")).indexOf(cell)];
  const fromEnd = cellsOf(cell.closest("tr")).length - left;
  text.split("\n").forEach((line, down) => {
    const row = all[first + down];
    if (!row) return;
    const cells = cellsOf(row).slice(-fromEnd);
    line.split("\t").forEach((value, right) => { if (cells[right]) cells[right].value = /^\(?null\)?$/i.test(value) ? "" : value; });
  });
  changed();
});

// Nothing that was typed is lost by leaving the page; readers, who have no button, only try out.
let isSent = !form.querySelector("button");
form.addEventListener("submit", () => { isSent = true; });
addEventListener("beforeunload", (event) => {
  if (!isSent && form.querySelector(".is-changed")) event.preventDefault();
});
form.querySelector(".has-problems input[aria-invalid]")?.focus();

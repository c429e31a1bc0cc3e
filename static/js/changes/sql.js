// The editor of the T-SQL of a draft: line numbers follow the text, Ctrl+Enter saves, a problem leads to its line, and
// the line of effect says what the script would bring while one types.
const form = document.querySelector("[data-sql]");
const text = form?.querySelector("textarea");
const WAIT_MS = 400;
let timer;
const numbers = form?.querySelector(".sql-numbers");

function lineCount() { return text.value.split("\n").length; }

function number() {
  const wanted = lineCount();
  while (numbers.children.length > wanted) {
    numbers.lastElementChild.nextSibling?.remove();
    numbers.lastElementChild.remove();
  }
  while (numbers.children.length < wanted) {
    const one = document.createElement("span");
    one.textContent = String(numbers.children.length + 1);
    numbers.append(one, "\n");
  }
  numbers.scrollTop = text.scrollTop;
}

function goTo(line) {
  const lines = text.value.split("\n");
  const start = lines.slice(0, line - 1).reduce((sum, one) => sum + one.length + 1, 0);
  text.focus();
  text.setSelectionRange(start, start + (lines[line - 1]?.length ?? 0));
  const height = text.scrollHeight / lines.length;
  text.scrollTop = Math.max(0, (line - 4) * height);
  numbers.scrollTop = text.scrollTop;
}

// -- What the script would bring -------------------------------------------------------------------------------------
function typed() {
  document.dispatchEvent(new CustomEvent("draft:typing", { bubbles: true }));
  clearTimeout(timer);
  timer = setTimeout(() => form.dispatchEvent(new CustomEvent("sql:changed")), WAIT_MS);
}

function tryOut(preview) {
  const found = preview.querySelector("[data-edits]");
  const lines = [...preview.querySelectorAll("a[data-line]")].map((one) => Number(one.dataset.line));
  [...numbers.querySelectorAll("span")].forEach((one, index) => one.classList.toggle("wrong", lines.includes(index + 1)));
  if (!("invalid" in found.dataset)) document.dispatchEvent(new CustomEvent("draft:try", { detail: { edits: JSON.parse(found.dataset.edits) }, bubbles: true, cancelable: true }));
}

document.addEventListener("htmx:afterSettle", (event) => { if (event.target.id === "sql-preview") tryOut(event.target); });

if (text) {
  text.addEventListener("input", () => { number(); typed(); });
  text.addEventListener("scroll", () => { numbers.scrollTop = text.scrollTop; });
  text.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey) || event.altKey) return;
    event.preventDefault();
    if (form.querySelector("button")) form.requestSubmit(); // readers have none
  });
  form.addEventListener("click", (event) => {
    const link = event.target.closest("a[data-line]");
    if (!link) return;
    event.preventDefault();
    goTo(Number(link.dataset.line));
  });
  document.querySelector("[data-problem]")?.focus();
}

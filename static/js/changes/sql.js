// The editor of the T-SQL of a draft: line numbers follow the text, Ctrl+Enter saves, a problem leads to its line.
const form = document.querySelector("[data-sql]");
const text = form?.querySelector("textarea");
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

if (text) {
  text.addEventListener("input", number);
  text.addEventListener("scroll", () => { numbers.scrollTop = text.scrollTop; });
  text.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey) || event.altKey) return;
    event.preventDefault();
    form.requestSubmit();
  });
  form.addEventListener("click", (event) => {
    const link = event.target.closest("a[data-line]");
    if (!link) return;
    event.preventDefault();
    goTo(Number(link.dataset.line));
  });
  document.querySelector("[data-problem]")?.focus();
}

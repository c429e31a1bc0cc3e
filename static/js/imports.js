// Files that are chosen or dropped are listed before they are sent; a form is sent once.
function setUp(form) {
  const zone = form.querySelector(".drop");
  const input = form.querySelector('input[type="file"]');
  const error = form.querySelector("[data-files-error]");
  const list = form.querySelector("[data-files-list]");

  function show() {
    const files = [...input.files];
    const bytes = files.reduce((sum, file) => sum + file.size, 0);
    const { maxBytes, maxFiles, tooLarge, tooMany } = form.dataset;
    const problem = files.length > Number(maxFiles) ? tooMany : bytes > Number(maxBytes) ? tooLarge : "";
    error.textContent = problem;
    error.hidden = !problem;
    if (problem) input.value = "";
    list.replaceChildren(...[...input.files].map((file) => {
      const item = document.createElement("li");
      item.textContent = file.name;
      return item;
    }));
    list.hidden = input.files.length === 0;
  }

  form.querySelector("[data-files-hint]").hidden = false;
  input.addEventListener("change", show);
  zone.addEventListener("dragover", () => zone.classList.add("over"));
  zone.addEventListener("dragleave", (event) => {
    if (!zone.contains(event.relatedTarget)) zone.classList.remove("over");
  });
  zone.addEventListener("drop", (event) => {
    zone.classList.remove("over");
    if (!event.dataTransfer.files.length) return;
    input.files = event.dataTransfer.files;
    show();
  });
}

// A document is of no one instance.
function fit(row) {
  const kind = row.querySelector("select").value;
  for (const cell of row.querySelectorAll("[data-for]")) {
    const field = cell.querySelector("input");
    field.disabled = kind === "document";
  }
}

// A file that misses the zone must not replace the page.
for (const kind of ["dragover", "drop"]) {
  document.addEventListener(kind, (event) => {
    if (event.dataTransfer?.types.includes("Files")) event.preventDefault();
  });
}
for (const form of document.querySelectorAll("[data-files]")) setUp(form);
for (const row of document.querySelectorAll("[data-file]")) {
  fit(row);
  row.querySelector("select").addEventListener("change", () => fit(row));
}
document.addEventListener("submit", (event) => {
  if (!event.target.matches("[data-once], [data-files]")) return;
  for (const button of event.target.querySelectorAll("button")) button.disabled = true;
});
// Enable the form again when the browser's Back button shows the page from its cache.
window.addEventListener("pageshow", () => {
  for (const button of document.querySelectorAll("[data-once] button, [data-files] button")) button.disabled = false;
});
(document.querySelector("[data-problem]") ?? document.querySelector('[aria-invalid="true"]'))?.focus();

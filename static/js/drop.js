// A form with data-drop takes a file that is dropped on its zone, and is submitted as soon as it has a file.
function setUp(form) {
  const zone = form.querySelector(".drop");
  const input = form.querySelector('input[type="file"]');
  const error = form.querySelector("[data-drop-error]");
  const send = form.querySelector("[data-drop-send]");

  function refuse(text) {
    error.textContent = text;
    error.hidden = !text;
    if (text) input.value = "";
  }

  function take() {
    const file = input.files[0];
    if (!file) return;
    refuse(file.size > Number(form.dataset.maxBytes) ? form.dataset.tooLarge : "");
    if (input.files.length) form.requestSubmit();
  }

  send.hidden = true;
  for (const element of form.querySelectorAll("[data-drop-hint]")) element.hidden = false;
  input.addEventListener("change", take);
  form.addEventListener("submit", () => { zone.setAttribute("aria-busy", "true"); });

  zone.addEventListener("dragover", () => zone.classList.add("over"));
  zone.addEventListener("dragleave", (event) => {
    if (!zone.contains(event.relatedTarget)) zone.classList.remove("over");
  });
  zone.addEventListener("drop", (event) => {
    zone.classList.remove("over");
    const files = event.dataTransfer.files;
    if (files.length > 1) return refuse(form.dataset.onlyOne);
    if (files.length === 1) { input.files = files; take(); }
  });
}

// A file that misses the zone must not replace the page.
for (const kind of ["dragover", "drop"]) {
  document.addEventListener(kind, (event) => {
    if (event.dataTransfer?.types.includes("Files")) event.preventDefault();
  });
}
for (const form of document.querySelectorAll("[data-drop]")) setUp(form);
document.querySelector("[data-problem]")?.focus();

// Choice of the estate: a choice by pointer is applied at once, one by arrow keys when the button is pressed.
let pointed = false;
for (const button of document.querySelectorAll("[data-estate-go]")) button.hidden = true;
document.addEventListener("pointerdown", (event) => { pointed = event.target.closest("[data-estate]") !== null; });
document.addEventListener("keydown", () => { pointed = false; });
document.addEventListener("change", (event) => {
  if (!event.target.matches("[data-estate] select")) return;
  if (pointed) open(event.target.form);
  else event.target.form.querySelector("[data-estate-go]").hidden = false;
}, true);
document.addEventListener("submit", (event) => {
  if (!event.target.matches("[data-estate], .as-of > form")) return;
  event.preventDefault();
  if (event.target.matches("[data-estate]")) open(event.target);
  else location.assign(questionAddress(event.target.elements.as_of.value.trim()));
});
// Read the question from the address: it may have changed since the page was loaded.
document.addEventListener("click", (event) => {
  const link = event.target.closest("[data-as-of]");
  if (link) link.href = questionAddress(link.dataset.asOf);
}, true);

// -- The slider: from one moment at which something changed to the next; Enter, or the button, looks back --------------
for (const moments of document.querySelectorAll("[data-moments]")) {
  const slider = moments.querySelector("input");
  const says = new Map([...moments.querySelectorAll("option")].map((one) => [one.value, one.label]));
  const tell = () => {
    const text = says.get(slider.value) ?? slider.value;
    moments.querySelector("output").textContent = text;
    slider.setAttribute("aria-valuetext", text);
  };
  moments.hidden = false;
  tell();
  slider.addEventListener("input", () => {
    tell();
    slider.form.elements.as_of.value = slider.value === slider.max ? "" : slider.value;
  });
  slider.addEventListener("keydown", (event) => {
    if (event.key !== "Enter") return;
    event.preventDefault();
    slider.form.requestSubmit();
  });
}

// Return the address of the same question about another version.
function questionAddress(version) {
  const query = new URLSearchParams(location.search);
  for (const name of ["scenario", "draft", "as_of", "page"]) query.delete(name);
  if (version) query.set("as_of", version);
  return query.size ? `${location.pathname}?${query}` : location.pathname;
}

// Leave empty fields out of the address.
function open(form) {
  const query = new URLSearchParams([...new FormData(form)].filter(([, value]) => value !== ""));
  location.assign(query.size ? `${form.getAttribute("action")}?${query}` : form.getAttribute("action"));
}

// Which estate: who points at one means it; who walks through them with the keys says when, with the button.
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
  else location.assign(asked(event.target.elements.as_of.value.trim()));
});
// The question may have changed since the page was loaded: the address has it.
document.addEventListener("click", (event) => {
  const link = event.target.closest("[data-as-of]");
  if (link) link.href = asked(link.dataset.asOf);
}, true);

// The address of the same question, about another version.
function asked(version) {
  const query = new URLSearchParams(location.search);
  for (const name of ["scenario", "draft", "as_of", "page"]) query.delete(name);
  if (version) query.set("as_of", version);
  return query.size ? `${location.pathname}?${query}` : location.pathname;
}

// What is empty does not belong into the address.
function open(form) {
  const query = new URLSearchParams([...new FormData(form)].filter(([, value]) => value !== ""));
  location.assign(query.size ? `${form.getAttribute("action")}?${query}` : form.getAttribute("action"));
}

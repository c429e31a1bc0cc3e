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
  open(event.target);
});

// What is empty does not belong into the address.
function open(form) {
  const query = new URLSearchParams([...new FormData(form)].filter(([, value]) => value !== ""));
  location.assign(query.size ? `${form.getAttribute("action")}?${query}` : form.getAttribute("action"));
}

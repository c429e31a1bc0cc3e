// The page "Where does it go?": htmx asks again when a field changes; this script adjusts the other fields.
const OUTSIDE = "outside:";

function ask() { return document.getElementById("ask"); }

// Only a message from outside can be a reply; the initiator's service is one of its own database.
function fit(form) {
  const outside = form.elements.from.value.startsWith(OUTSIDE);
  const reply = form.elements.reply;
  form.querySelector("[data-outside]").hidden = !outside;
  form.querySelector("[data-begun]").hidden = outside;
  reply.disabled = !outside;
  form.elements.service.disabled = outside;
  if (outside) form.querySelector(".more").open = true;
}

// Mark the fields that have an error, for screen readers.
function mark(form) {
  for (const fault of form.querySelectorAll(".fault")) {
    const field = form.elements[fault.id.replace("fault-", "")];
    if (field) field.setAttribute("aria-invalid", String(fault.textContent.trim() !== ""));
  }
}

function tell() {
  const answer = document.querySelector("[data-answer]");
  const faults = [...document.querySelectorAll(".fault")].map((fault) => fault.textContent.trim()).filter(Boolean);
  document.getElementById("live").textContent = faults.join(" ") || answer?.innerText || "";
}

function setUp() {
  const form = ask();
  if (form) { fit(form); mark(form); }
}

// Adjust the fields before htmx reads the form.
document.addEventListener("change", (event) => {
  if (event.target.id === "from") fit(event.target.form);
}, true);
// Enter in a field raises change and submit: send one request.
let inFlight = "";
document.addEventListener("htmx:confirm", (event) => {
  if (event.target !== ask()) return;
  const query = new URLSearchParams(new FormData(event.target)).toString();
  if (query === inFlight) event.preventDefault();
  else inFlight = query;
});
document.addEventListener("htmx:afterRequest", (event) => {
  if (event.detail.elt === ask()) inFlight = "";
});
// Leave empty fields out of the address.
document.addEventListener("htmx:configRequest", (event) => {
  const { parameters } = event.detail;
  for (const name of Object.keys(parameters)) if (parameters[name] === "") delete parameters[name];
});
// An impossible question is answered with 400 and a page part that explains it: show that.
document.addEventListener("htmx:beforeSwap", (event) => {
  if (event.detail.xhr.status === 400 && event.detail.target.id === "answer") {
    event.detail.shouldSwap = true;
    event.detail.isError = false;
  }
});
document.addEventListener("htmx:afterSettle", (event) => {
  const form = ask();
  if (!form) return;
  if (event.detail.target?.id === "answer") { mark(form); tell(); }
});
document.addEventListener("htmx:historyRestore", setUp);
// A link to a rule's id opens the folded section that holds its sentence.
document.addEventListener("click", (event) => {
  const link = event.target.closest('a[href^="#rule-"]');
  if (link) document.getElementById("rules").open = true;
});
setUp();

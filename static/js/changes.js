// The forms of a draft: values to choose from, what each edit would bring while one types, Enter adds, Escape leaves.
const panel = document.getElementById("panel");
const ASKED = new Set([409, 422]);
let cameFrom = null;

function formIn(root) { return root?.querySelector?.("[data-edit-form]") ?? null; }

// -- The form comes and goes ---------------------------------------------------------------------------------
document.addEventListener("focusin", (event) => { if (!panel?.contains(event.target)) cameFrom = event.target; });

// A form that was refused is shown as the server sends it back.
document.addEventListener("htmx:beforeSwap", (event) => {
  if (!ASKED.has(event.detail.xhr.status) || !panel?.contains(event.detail.target)) return;
  event.detail.shouldSwap = true;
  event.detail.isError = false;
});

document.addEventListener("htmx:afterSettle", (event) => {
  const form = formIn(panel);
  if (event.target === panel && form) {
    const first = form.querySelector("[data-problem], [aria-invalid=true]") ?? form.querySelector("[data-begin]") ?? form.querySelector("input:not([type=hidden], [readonly]), select, textarea");
    first?.focus();
    first?.select?.();
  }
  if (form && (event.target === panel || event.target.id === "edit-preview")) { mark(form); tell(form); }
});

// Wrong values are marked as such for those who do not see the sentence below them.
function mark(form) {
  for (const notes of form.querySelectorAll(".field-notes")) {
    const field = document.getElementById(notes.id.replace(/^notes-/, "edit-"));
    if (notes.querySelector(".fault")) field?.setAttribute("aria-invalid", "true");
    else field?.removeAttribute("aria-invalid");
  }
}

function leave(form) {
  const link = form.querySelector("[data-cancel]");
  const left = panel.dispatchEvent(new CustomEvent("draft:cancelled", { bubbles: true, cancelable: true }));
  const back = cameFrom;
  tryOut([]);
  if (!left || !link) return;
  if (!document.querySelector("svg.net[data-width]")) { location.assign(link.href); return; }
  htmx.ajax("GET", link.href, { target: "#panel", swap: "innerHTML" }).then(() => back?.isConnected && back.focus({ preventScroll: true }));
}

document.addEventListener("click", (event) => {
  const link = event.target.closest("[data-cancel]");
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  leave(link.closest("[data-edit-form]"));
});
panel?.addEventListener("keydown", (event) => {
  const form = event.target.closest("[data-edit-form]");
  if (event.key !== "Escape" || !form || event.defaultPrevented || event.target.closest(".menu[open]")) return;
  event.preventDefault();
  leave(form);
});

// -- Links that open a form in the panel, and acts that say what they would bring ---------------------------------
document.addEventListener("click", (event) => {
  const link = event.target.closest("a[data-panel]");
  if (!link || !panel || event.ctrlKey || event.metaKey || event.shiftKey || event.defaultPrevented) return;
  event.preventDefault();
  htmx.ajax("GET", link.getAttribute("href"), { target: "#panel", swap: "innerHTML" });
});
for (const [name, isOn] of [["focusin", true], ["pointerover", true], ["focusout", false], ["pointerout", false]]) {
  document.addEventListener(name, (event) => {
    const act = event.target.closest?.("[data-try]");
    if (act && !act.contains(event.relatedTarget)) tryOut(isOn ? JSON.parse(act.dataset.try) : []);
  });
}
document.addEventListener("click", (event) => {
  const act = event.target.closest("button[type=button][data-try]");
  if (act) tryOut(JSON.parse(act.dataset.try));
});

// -- Values to choose from -----------------------------------------------------------------------------------
document.addEventListener("click", (event) => {
  const choice = event.target.closest(".pick [data-value]");
  if (!choice) return;
  const menu = choice.closest(".pick");
  const field = document.getElementById(menu.dataset.pick);
  field.value = choice.dataset.value;
  menu.open = false;
  field.focus();
  field.dispatchEvent(new Event("input", { bubbles: true }));
});
document.addEventListener("keydown", (event) => {
  const field = event.target.closest?.("[data-edit-form] input");
  const menu = field && document.querySelector(`.pick[data-pick="${CSS.escape(field.id)}"]`);
  if (menu && event.altKey && event.key === "ArrowDown") {
    event.preventDefault();
    menu.open = true;
    menu.querySelector("[data-value]")?.focus();
    return;
  }
  const choice = event.target.closest?.(".pick [data-value]");
  const step = { ArrowDown: "nextElementSibling", ArrowUp: "previousElementSibling" }[event.key];
  if (!choice || !step) return;
  event.preventDefault();
  choice[step]?.focus();
});

// -- The line of effect ----------------------------------------------------------------------------------------
// `draft:try` asks for the effect of further edits; the sentence of before is marked until it is answered.
function tell(form) {
  const preview = form.querySelector("[data-edits]");
  if (preview && !("invalid" in preview.dataset)) tryOut(JSON.parse(preview.dataset.edits));
}
function tryOut(edits) { document.dispatchEvent(new CustomEvent("draft:try", { detail: { edits }, bubbles: true, cancelable: true })); }

// The map shows the effect itself (`preventDefault`); on other pages the line is asked for here.
addEventListener("draft:try", (event) => {
  const [line, url] = [document.getElementById("effect-line"), document.querySelector(".draft-bar")?.dataset.effect];
  if (event.defaultPrevented || !line || !url) return;
  const values = { csrfmiddlewaretoken: document.querySelector("[name=csrfmiddlewaretoken]")?.value ?? "" };
  if (event.detail.edits.length) values.edits = JSON.stringify(event.detail.edits);
  htmx.ajax("POST", url, { source: line, target: line, swap: "outerHTML", values });
});
addEventListener("draft:typing", () => document.getElementById("effect-line")?.setAttribute("aria-busy", "true"));

document.addEventListener("input", (event) => {
  if (event.target.closest?.("[data-edit-form]")) document.dispatchEvent(new CustomEvent("draft:typing", { bubbles: true }));
});

// -- After a write ------------------------------------------------------------------------------------------
// The map may take it up without a new page (`preventDefault`); else the page comes again, with it selected.
addEventListener("draft:written", (event) => {
  if (!event.defaultPrevented) location.assign(event.detail.url);
});

const form = formIn(panel);
if (form) { mark(form); document.querySelector("[data-problem]")?.focus(); }

// -- Undo and redo by keys, outside of fields, which have their own ------------------------------------------------
document.addEventListener("keydown", (event) => {
  const isTyping = event.target.closest?.("input:not([type=checkbox]), select, textarea, [contenteditable]");
  if (event.key.toLowerCase() !== "z" || !(event.ctrlKey || event.metaKey) || event.altKey || isTyping || event.defaultPrevented) return;
  const button = document.getElementById(event.shiftKey ? "redo" : "undo");
  if (!button || document.querySelector("dialog[open]")) return;
  event.preventDefault();
  button.click();
});

// The tables: suggestions while the user types, ticked rows, one more line, and findings about the typed values.
const WAIT = 150;
let waiting = 0;
let lists = 0;

// -- Suggestions: the server searches, since a list of all names would be too long --------------------------
document.addEventListener("input", (event) => {
  if (event.target.dataset?.options) suggestSoon(event.target);
});
document.addEventListener("focusin", (event) => {
  if (event.target.dataset?.options && !event.target.list) suggestSoon(event.target);
});

function suggestSoon(field) {
  clearTimeout(waiting);
  waiting = setTimeout(() => suggest(field), WAIT);
}

async function suggest(field) {
  const query = new URLSearchParams({ q: field.value });
  const service = field.form?.elements.remote_service_name;
  if (service && service !== field) query.set("service", service.value);
  const answer = await fetch(`${field.dataset.options}?${query}`, { headers: { Accept: "application/json" } });
  if (!answer.ok) return;
  const options = (await answer.json()).map(({ value, label }) => {
    const option = document.createElement("option");
    option.value = value;
    option.label = label;
    return option;
  });
  listOf(field).replaceChildren(...options);
}

function listOf(field) {
  if (!field.list) {
    const list = document.createElement("datalist");
    list.id = `options-${lists += 1}`;
    field.after(list);
    field.setAttribute("list", list.id);
  }
  return field.list;
}

// -- Rows that are ticked ------------------------------------------------------------------------------------
document.addEventListener("change", (event) => {
  const form = event.target.closest("[data-ticks]");
  if (!form) return;
  const ticks = [...form.querySelectorAll("input.action-select")];
  if (event.target.id === "action-toggle") for (const tick of ticks) tick.checked = event.target.checked;
  const count = ticks.filter((tick) => tick.checked).length;
  const says = form.querySelector("[data-count]");
  says.textContent = count === 1 ? says.dataset.one : says.dataset.many.replace("%n", count);
});

// -- One more line -------------------------------------------------------------------------------------------
for (const button of document.querySelectorAll("[data-add]")) button.hidden = false;
document.addEventListener("click", (event) => {
  const name = event.target.dataset?.add;
  if (!name) return;
  const total = document.getElementById(`id_${name}-TOTAL_FORMS`);
  const line = document.querySelector(`[data-line="${name}"]`).content.cloneNode(true);
  for (const part of line.querySelectorAll("[name], [id]")) {
    for (const key of ["name", "id", "aria-label", "aria-describedby"]) {
      const value = part.getAttribute(key);
      if (value) part.setAttribute(key, value.replace("__prefix__", total.value));
    }
  }
  total.value = Number(total.value) + 1;
  const body = document.querySelector(`[data-lines="${name}"]`);
  body.append(line);
  body.lastElementChild.querySelector("input:not([type=hidden]), select").focus();
});

// -- Problems and findings at fields, while the user types ------------------------------------------------------
document.addEventListener("htmx:beforeSwap", (event) => {
  if (event.detail.target.id !== "change-preview" || !event.detail.shouldSwap) return;
  for (const slot of document.querySelectorAll(".field-notes")) slot.replaceChildren();
});
document.addEventListener("htmx:afterSettle", mark);
// A tick below the preview changes no value: the preview stays as it is.
document.getElementById("change-preview")?.addEventListener("change", (event) => event.stopPropagation());

function mark() {
  for (const slot of document.querySelectorAll("[data-sheet] .field-notes")) {
    const field = document.getElementById(slot.id.replace(/_error$/, ""));
    if (!field) continue;
    const others = (field.getAttribute("aria-describedby") ?? "").split(" ").filter((id) => id && id !== slot.id);
    if (slot.childElementCount) others.push(slot.id);
    if (others.length) field.setAttribute("aria-describedby", others.join(" "));
    else field.removeAttribute("aria-describedby");
    field.setAttribute("aria-invalid", String(slot.querySelector(".fault") !== null));
  }
}
mark();
document.querySelector("[data-problem]")?.focus();

// Go to: Ctrl-K or Cmd-K opens the dialog; places appear while the reader types; arrows choose, Enter goes.
const WAIT_MS = 120;
const dialog = document.getElementById("goto");
const requests = new WeakMap();
let timer;

const inputOf = (root) => root.querySelector("input[type=search]");
const linksOf = (root) => [...root.querySelectorAll("[data-goto-places] a")];

// Enter in the field goes to the first place: mark it.
function mark(root) {
  linksOf(root).forEach((link, place) => link.classList.toggle("next", place === 0));
}

async function ask(root) {
  const form = root.querySelector("form");
  const url = `${form.getAttribute("action")}?${new URLSearchParams(new FormData(form))}`;
  requests.get(root)?.abort();
  const waiting = new AbortController();
  requests.set(root, waiting);
  try {
    const answer = await fetch(url, { headers: { "HX-Request": "true" }, signal: waiting.signal });
    // A session that is over leads to the sign-in page: go there as a whole.
    if (answer.redirected || !answer.ok) { location.assign(url); return; }
    root.querySelector("[data-goto-places]").innerHTML = await answer.text();
    mark(root);
  } catch (error) {
    if (error.name !== "AbortError") root.querySelector("form").noValidate = true;
  }
}

function open() {
  if (document.querySelector("dialog[open]")) return;
  dialog.showModal();
  inputOf(dialog).select();
  if (!linksOf(dialog).length) ask(dialog);
}

function step(root, by) {
  const stops = [inputOf(root), ...linksOf(root)];
  const here = Math.max(0, stops.indexOf(document.activeElement));
  stops[(here + by + stops.length) % stops.length].focus();
}

function pressed(root, event) {
  if (event.isComposing) return;
  const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (by) { step(root, by); event.preventDefault(); }
  else if (event.key.length === 1 && event.target.tagName === "A" && !event.ctrlKey && !event.metaKey && !event.altKey) inputOf(root).focus();
}

for (const root of document.querySelectorAll("[data-goto]")) {
  root.addEventListener("keydown", (event) => pressed(root, event));
  root.addEventListener("input", () => { clearTimeout(timer); timer = setTimeout(ask, WAIT_MS, root); });
  root.addEventListener("submit", async (event) => {
    event.preventDefault();
    clearTimeout(timer);
    await ask(root);
    linksOf(root)[0]?.click();
  });
  mark(root);
}

document.addEventListener("keydown", (event) => {
  if ((event.ctrlKey || event.metaKey) && !event.shiftKey && !event.altKey && event.key.toLowerCase() === "k") {
    event.preventDefault();
    open();
  }
});

for (const opener of document.querySelectorAll("[data-goto-open]")) {
  opener.addEventListener("click", (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    open();
  });
}
dialog?.addEventListener("click", (event) => { if (event.target === dialog) dialog.close(); });

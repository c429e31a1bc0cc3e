// Buttons with data-copy put that text on the clipboard, and confirm it visibly and to screen readers.
const SHOWN_MS = 1600;

async function copy(text) {
  if (navigator.clipboard) return navigator.clipboard.writeText(text);
  // Over plain http from another machine there is no clipboard object.
  const area = Object.assign(document.createElement("textarea"), { value: text, className: "unseen" });
  document.body.append(area);
  area.select();
  const done = document.execCommand("copy");
  area.remove();
  if (!done) throw new Error("not copied");
}

// Return the present address of the page, with the version that the page shows.
function address(version) {
  const url = new URL(location.href);
  for (const [name, value] of new URLSearchParams(version)) url.searchParams.set(name, value);
  return url.href;
}

async function press(button) {
  const label = button.dataset.label ?? (button.dataset.label = button.textContent);
  const live = document.getElementById("live");
  try {
    await copy(button.dataset.version ? address(button.dataset.version) : button.dataset.copy);
    button.textContent = live.textContent = button.dataset.copied;
  } catch {
    button.textContent = live.textContent = button.dataset.failed;
  }
  button.focus();
  setTimeout(() => { button.textContent = label; live.textContent = ""; }, SHOWN_MS);
}

function show(root) {
  for (const button of root.querySelectorAll("[data-copy][hidden]")) button.hidden = false;
}

// One listener on the document, so that buttons in fragments that arrive later work too.
document.addEventListener("click", (event) => {
  const button = event.target.closest("[data-copy]");
  if (button) press(button);
});
document.addEventListener("htmx:afterSwap", (event) => show(event.target));
show(document);

// The order of the causes stays while the pointer, the focus or a selection is on their list: new ones are counted above it.
const piece = document.getElementById("live-piece");
const note = document.getElementById("new-causes");
let isWanted = false;

function isHeld(list) {
  const selected = getSelection();
  return list.matches(":hover") || list.contains(document.activeElement)
    || (!selected.isCollapsed && list.contains(selected.anchorNode));
}

const rowsOf = (list) => [...list.querySelectorAll(":scope > li[id]")];

// The new list in the order of the shown one: rows that left stay, greyed; rows that came wait.
function inShownOrder(shown, fresh) {
  const found = new Map(rowsOf(fresh).map((row) => [row.id, row]));
  for (const row of rowsOf(shown)) {
    fresh.append(found.get(row.id) ?? left(row.cloneNode(true)));
    found.delete(row.id);
  }
  for (const row of found.values()) row.remove();
  return found.size;
}

function left(row) {
  if (row.classList.contains("left")) return row;
  row.classList.add("left");
  row.querySelector(".what a")?.append(` (${note.dataset.left})`);
  row.querySelector(".step")?.replaceChildren();
  return row;
}

function tell(count) {
  note.hidden = count === 0;
  note.querySelector("button").textContent = (count === 1 ? note.dataset.one : note.dataset.many).replace("%s", count);
}

document.addEventListener("htmx:beforeSwap", (event) => {
  const shown = piece.querySelector(".todo");
  if (event.detail.target !== piece || !event.detail.shouldSwap) return;
  if (isWanted || !shown || !isHeld(shown)) {
    isWanted = false;
    tell(0);
    return;
  }
  const response = new DOMParser().parseFromString(`<body>${event.detail.serverResponse}</body>`, "text/html");
  const fresh = response.querySelector(".todo");
  if (!fresh) return;
  tell(inShownOrder(shown, fresh));
  event.detail.serverResponse = response.body.innerHTML;
});

// A piece that the page shows is requested once more, in its own order.
document.addEventListener("htmx:configRequest", ({ detail }) => { if (isWanted) delete detail.headers["If-None-Match"]; });
note.querySelector("button").addEventListener("click", () => {
  isWanted = true;
  window.htmx.trigger(piece, "poll");
});

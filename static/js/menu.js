// An open menu closes like every menu: by Escape, and by a click beside it.
function close(menu, back) {
  menu.open = false;
  if (back) menu.querySelector("summary").focus();
}

document.addEventListener("click", (event) => {
  for (const menu of document.querySelectorAll(".menu[open]")) if (!menu.contains(event.target)) close(menu, false);
});
document.addEventListener("keydown", (event) => {
  if (event.key !== "Escape") return;
  for (const menu of document.querySelectorAll(".menu[open]")) close(menu, menu.contains(document.activeElement));
});

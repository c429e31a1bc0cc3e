// An open menu closes like every menu: by Escape, by a click beside it, and when Tab leaves it for a control that it would cover.
function close(menu, back) {
  menu.open = false;
  if (back) menu.querySelector("summary").focus();
}

const openMenus = () => document.querySelectorAll(".menu[open]");

document.addEventListener("click", (event) => {
  for (const menu of openMenus()) if (!menu.contains(event.target)) close(menu, false);
});
document.addEventListener("focusin", ({ target }) => {
  if (target.closest("dialog")) return; // it gives the focus back to the menu
  for (const menu of openMenus()) if (!menu.contains(target) && !target.contains(menu)) close(menu, false);
});
document.addEventListener("keydown", (event) => {
  if (event.key !== "Escape") return;
  for (const menu of openMenus()) close(menu, menu.contains(document.activeElement));
});

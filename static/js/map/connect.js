// A route without a drag: `c` opens the form that asks where it begins and where it leads.
import { isFree } from "../keys.js";
import { namesOf } from "./picture.js";
import { focusedDatabase } from "./handles.js";

export function startConnect(form) {
  function open() {
    const ref = focusedDatabase();
    form.show(ref ? { place: namesOf(ref).join("/") } : {});
  }
  document.addEventListener("keydown", (event) => {
    if (event.key !== "c" || !isFree(event)) return;
    event.preventDefault();
    open();
  });
  const button = document.querySelector("[data-act=connect]");
  button.hidden = false;
  button.addEventListener("click", open);
}

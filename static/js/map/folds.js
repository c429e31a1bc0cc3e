// The bundled routes and services of a database open, and close again, where they stand.
import { pane, picture } from "./picture.js";
import { refresh } from "./refresh.js";

export function startFolds() {
  pane.addEventListener("click", async (event) => {
    const link = event.target.closest("a[data-fold]");
    if (!link || event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    const [to, label] = [new URL(link.getAttribute("href"), location.href), link.dataset.fold];
    const here = new URL(location.href);
    const opened = to.searchParams.get("opened");
    if (opened) here.searchParams.set("opened", opened); else here.searchParams.delete("opened");
    history.pushState(null, "", here);
    await refresh(here.pathname + here.search);
    [...picture.querySelectorAll("a[data-fold]")].find((one) => one.dataset.fold === label)?.focus({ preventScroll: true });
  });
}

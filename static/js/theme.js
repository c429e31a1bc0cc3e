// The theme button without a reload: the page changes at once, the server keeps the choice.
for (const form of document.querySelectorAll("[data-theme-form]")) {
  form.addEventListener("submit", (event) => {
    const theme = event.submitter?.value;
    if (!theme) return;
    event.preventDefault();
    const body = new FormData(form);
    body.set("theme", theme);
    document.documentElement.dataset.theme = theme;
    document.querySelector('meta[name="color-scheme"]').content = theme === "auto" ? "light dark" : theme;
    // The button that was pressed has given its place to the next one.
    form.querySelector(`.when-${theme}`).focus();
    document.dispatchEvent(new CustomEvent("themechange", { detail: { theme } }));
    fetch(form.action, { method: "POST", body, redirect: "manual" }).catch(() => {});
  });
}

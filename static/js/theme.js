// The theme button: changes the page without a reload, and sends the choice to the server.
for (const form of document.querySelectorAll("[data-theme-form]")) {
  form.addEventListener("submit", (event) => {
    const theme = event.submitter?.value;
    if (!theme) return;
    event.preventDefault();
    const body = new FormData(form);
    body.set("theme", theme);
    document.documentElement.dataset.theme = theme;
    document.querySelector('meta[name="color-scheme"]').content = theme === "auto" ? "light dark" : theme;
    // The pressed button is hidden now: move the focus to the one that replaced it.
    form.querySelector(`.when-${theme}`).focus();
    document.dispatchEvent(new CustomEvent("themechange", { detail: { theme } }));
    fetch(form.action, { method: "POST", body, redirect: "manual", keepalive: true }).catch(() => {});
  });
}

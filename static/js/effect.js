// The line of effect keeps the sentence that it showed, greyed, until the new one is known.
const LINE = /\/effect-line\/$/;

document.addEventListener("htmx:configRequest", ({ detail }) => {
  if (!LINE.test(new URL(detail.path, location.href).pathname)) return;
  detail.parameters.old = document.querySelector("#effect-line .effect-sentence")?.textContent.trim() ?? "";
});

// The buttons over the picture, and how large it is now.
export function startControls(pane, viewport) {
  const bar = pane.querySelector(".zoom");
  const size = bar.querySelector("[data-size]");
  const acts = {
    smaller: () => viewport.zoomTo(viewport.k / 1.25),
    larger: () => viewport.zoomTo(viewport.k * 1.25),
    whole: () => viewport.zoomTo(1),
    fit: () => viewport.fit(),
  };
  for (const button of bar.querySelectorAll("[data-act]")) button.addEventListener("click", acts[button.dataset.act]);
  viewport.onChange(() => {
    const text = `${Math.round(viewport.k * 100)} %`;
    if (size.textContent !== text) size.textContent = text;
  });
  for (const one of pane.querySelectorAll(".float[hidden]")) one.hidden = false;
}

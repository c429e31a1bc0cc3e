// The map: the visible part, the selection, and keys to move along routes.
import { areaOf, byRef, marks, pane, picture } from "./map/picture.js";
import { startBoxes } from "./map/boxes.js";
import { startDrawing } from "./map/drawing.js";
import { startFolds } from "./map/folds.js";
import { Viewport } from "./map/viewport.js";
import { startControls } from "./map/controls.js";
import { startGestures } from "./map/gestures.js";
import { startMinimap } from "./map/minimap.js";
import { startLabels } from "./map/labels.js";
import { startNames } from "./map/names.js";
import { startPanel } from "./map/panel.js";
import { startReach } from "./map/reach.js";
import { rove, startRoving } from "./map/roving.js";
import { keptView, keepView } from "./map/kept.js";

// Down to these scales the whole picture is shown at first. The map of a draft goes further: one draws from end to end.
const [READABLE, RECOGNIZED] = [0.8, 0.4];

startPanel(rove);
if (picture) startPicture();

function startPicture() {
  pane.classList.add("live");
  picture.setAttribute("width", picture.dataset.width);
  picture.setAttribute("height", picture.dataset.height);
  pane.style.setProperty("--picture-height", `${picture.dataset.height}px`);
  const viewport = new Viewport(pane);
  startBoxes(viewport);
  startDrawing(viewport);
  look(viewport);
  startLabels(viewport);
  startNames(viewport);
  startGestures(pane, viewport);
  startControls(pane, viewport);
  startMinimap(pane, viewport);
  startRoving(viewport);
  startFolds();
  startReach();
  viewport.onChange(keepView);
  document.querySelector(".map-keys")?.removeAttribute("hidden");
}

// Show the part that was visible last; else the one that the address names; else the selection or the focus of the map.
function look(viewport) {
  const first = marks().find((one) => one.hasAttribute("aria-current")) ?? byRef(picture.dataset.middle) ?? marks()[0];
  if (first) rove(first);
  const kept = keptView();
  const zoom = new URLSearchParams(location.search).get("zoom");
  if (kept) viewport.set(kept);
  else if (zoom === "fit") viewport.fit();
  else if (Number(zoom)) { viewport.center(Number(zoom) / 100); if (first) viewport.reveal(areaOf(first), 0.3); }
  else viewport.begin(first && areaOf(first), picture.matches(".of-draft") ? RECOGNIZED : READABLE);
}

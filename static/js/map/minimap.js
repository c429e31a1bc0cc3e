// The minimap: the whole picture in a corner if it does not fit; its frame marks the visible part, and can be dragged.
import { boxArea, shapes, when } from "./picture.js";
import { claim, drag } from "./drag.js";
import { grown } from "./geometry.js";

const [WIDTH, HEIGHT] = [168, 112];
const SVG = "http://www.w3.org/2000/svg";

export function startMinimap(pane, viewport) {
  const map = pane.querySelector("svg.minimap");
  const [boxes, frame] = [map.querySelector("g"), map.querySelector(".frame")];
  let scale = 1;
  let whole;

  function rect(className) {
    const one = document.createElementNS(SVG, "rect");
    one.setAttribute("class", className);
    return one;
  }
  function place(one, { x, y, w, h }) {
    for (const [name, value] of Object.entries({ x, y, width: w, height: h })) one.setAttribute(name, value);
  }
  function draw(isNew) {
    whole = grown(viewport.bounds, 20);
    scale = Math.max(whole.w / WIDTH, whole.h / HEIGHT);
    map.setAttribute("viewBox", `${whole.x} ${whole.y} ${whole.w} ${whole.h}`);
    map.setAttribute("width", whole.w / scale);
    map.setAttribute("height", whole.h / scale);
    const all = shapes();
    // A box that moves keeps its rectangle: only a new picture has new ones.
    if (isNew || all.length !== boxes.children.length) boxes.replaceChildren(...all.map((shape) => rect(shape.querySelector("a.box").getAttribute("class"))));
    all.forEach((shape, index) => place(boxes.children[index], boxArea(shape)));
  }
  function show() {
    const isNeeded = !viewport.fits;
    map.classList.toggle("needed", isNeeded);
    if (!isNeeded) return;
    const { x, y, k, width, height } = viewport;
    place(frame, { x: -x / k, y: -y / k, w: width / k, h: height / k });
  }
  function lookAt(event) {
    const here = map.getBoundingClientRect();
    const at = { x: whole.x + (event.clientX - here.left) * scale, y: whole.y + (event.clientY - here.top) * scale };
    viewport.set({ x: viewport.width / 2 - at.x * viewport.k, y: viewport.height / 2 - at.y * viewport.k, k: viewport.k });
  }
  map.addEventListener("pointerdown", (event) => {
    claim(event);
    lookAt(event);
    drag(pane, event, { move: lookAt });
  });
  for (const name of ["drawn", "moved"]) when(name, () => { draw(name === "drawn"); show(); });
  draw(true);
  viewport.onChange(show);
}

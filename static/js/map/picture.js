// The picture as the server drew it: its boxes, databases and rows, and where each is once boxes have been moved.
export const pane = document.getElementById("canvas");
export const picture = pane?.querySelector("svg.net") ?? null;
// The box that is shifted and scaled: a browser lays an SVG out anew when its own transform changes, and a box around it not.
export const sheet = pane?.querySelector(".sheet") ?? null;

export function marks() { return picture ? [...picture.querySelectorAll("a.mark")] : []; }
export function byRef(ref) { return ref ? marks().find((one) => one.dataset.ref === ref && !("aside" in one.dataset)) : undefined; }
export function shapes() { return picture ? [...picture.querySelectorAll("g.shape")] : []; }
export function shapeOf(mark) { return mark.closest("g.shape"); }
export function headOf(mark) { return shapeOf(mark).querySelector("a.box"); }
export function shapeByRef(ref) { return shapes().find((shape) => shape.dataset.box === ref); }

// How far a box was moved from where the server drew it.
export function offsetOf(shape) { return { x: Number(shape.dataset.dx ?? 0), y: Number(shape.dataset.dy ?? 0) }; }

export function setOffset(shape, { x, y }) {
  shape.dataset.dx = x;
  shape.dataset.dy = y;
  if (x || y) shape.setAttribute("transform", `translate(${x} ${y})`); else shape.removeAttribute("transform");
}

// Areas are in the coordinates of the picture; `drawnArea` is the one before anything was moved.
export function drawnArea(mark) {
  const rect = mark.querySelector("rect.area");
  const [x, y, w, h] = ["x", "y", "width", "height"].map((name) => Number(rect.getAttribute(name)));
  return { x, y, w, h };
}

export function areaOf(mark) {
  const [area, by] = [drawnArea(mark), offsetOf(shapeOf(mark))];
  return { ...area, x: area.x + by.x, y: area.y + by.y };
}

export function boxArea(shape) { return areaOf(shape.querySelector("a.box")); }

// The names in a ref: `database/shop/Orders` has two.
export function namesOf(ref) { return ref.split("/").slice(1).map(decodeURIComponent); }
export function kindOf(ref) { return ref.slice(0, ref.indexOf("/")); }
export function refTo(kind, ...names) { return [kind, ...names.map((name) => encodeURIComponent(name).replaceAll("%3A", ":"))].join("/"); }

// `drawn` follows a new picture of the server, `moved` a box that stands elsewhere.
export function announce(name, detail) { pane.dispatchEvent(new CustomEvent(`map:${name}`, { detail })); }
export function when(name, act) { pane.addEventListener(`map:${name}`, (event) => act(event.detail)); }

// Charts: figures that came with the page as JSON, drawn by Plotly in the colours of the theme.
const CONFIG = { displayModeBar: false, responsive: true, showTips: false, doubleClick: false };
const COLOUR = /^var\((--[\w-]+)\)(?:\/([\d.]+))?$/;
const FONT = "--sans";
const charts = [...document.querySelectorAll("[data-chart]")];
const figures = new Map();
const texts = new Map();
const zoomed = new Map();
const probe = document.createElement("span");
probe.hidden = true;
document.body.append(probe);

// Read the chart's data from the page or the last answer; return whether it has changed.
function read(chart) {
  const text = document.getElementById(chart.dataset.chart).textContent;
  if (texts.get(chart) === text) return false;
  texts.set(chart, text);
  figures.set(chart, JSON.parse(text));
  return true;
}

// A token is `light-dark(…)` until an element uses it.
function colour(token, opacity) {
  probe.style.color = `var(${token})`;
  const computed = getComputedStyle(probe).color;
  return opacity ? computed.replace(/^rgba?\(([^,]+,[^,]+,[^,)]+).*\)$/, `rgba($1, ${opacity})`) : computed;
}

function resolved(value) {
  if (Array.isArray(value)) return value.map(resolved);
  if (value && typeof value === "object") {
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, resolved(one)]));
  }
  const token = typeof value === "string" && COLOUR.exec(value);
  if (!token) return value;
  if (token[1] === FONT) return getComputedStyle(document.body).fontFamily;
  return colour(token[1], token[2]);
}

async function draw(chart) {
  const { data, layout } = figures.get(chart);
  const range = zoomed.get(chart);
  if (range) layout.xaxis.range = range;
  if (!matchMedia("(pointer: fine)").matches) layout.dragmode = false;
  chart.style.minWidth = `${layout.meta?.minWidth ?? 0}px`;
  await Plotly.react(chart, resolved(data), resolved(layout), CONFIG);
  chart.dataset.drawn = document.documentElement.dataset.theme;
}

function drawAll() { for (const chart of charts) draw(chart); }

// Plotly's uirevision lets go of a zoom as soon as the range of the figure is another one, which it is each minute.
function keepZoom(chart) {
  const whole = document.querySelector(`[data-whole="${chart.dataset.chart}"]`);
  const show = () => { if (whole) whole.hidden = !zoomed.has(chart); };
  chart.on("plotly_relayout", (event) => {
    if (event["xaxis.range[0]"] === undefined) return;
    zoomed.set(chart, [event["xaxis.range[0]"], event["xaxis.range[1]"]]);
    show();
  });
  const unzoom = () => {
    zoomed.delete(chart);
    figures.set(chart, JSON.parse(texts.get(chart)));
    show();
    Plotly.relayout(chart, { "xaxis.range": figures.get(chart).layout.xaxis.range });
  };
  chart.on("plotly_doubleclick", unzoom);
  whole?.addEventListener("click", unzoom);
}

// A click on a field of groups (f, its row, its column) opens that row and that column.
function into(id) {
  const [, row, column] = /^f(\d+)-(\d+)$/.exec(id) ?? [];
  const links = [document.getElementById(`r${row}`), document.getElementById(`c${column}`)];
  if (links.includes(null)) return null;
  const [url, other] = links.map((link) => new URL(link.href));
  for (const name of ["service_from", "service_to"]) url.searchParams.set(name, other.searchParams.get(name));
  return url.href;
}

// A click on a field, a node or a stream follows the link of the same row of the table.
function follow(event) {
  const point = event.points?.[0];
  const known = point?.customdata;
  const id = Array.isArray(known) ? known.at(-1) : known;
  const href = id && (document.getElementById(id)?.href ?? into(id));
  if (href) location.assign(href);
}

function toggle(button) {
  const twin = document.getElementById(button.dataset.twin);
  twin.open = !twin.open;
  button.setAttribute("aria-expanded", String(twin.open));
  if (!twin.open) { button.focus(); return; }
  twin.scrollIntoView({ block: "nearest" });
  (twin.querySelector("a") ?? twin.querySelector("summary")).focus();
}

for (const button of document.querySelectorAll("[data-twin]")) {
  button.hidden = false;
  button.setAttribute("aria-expanded", "false");
  button.addEventListener("click", () => toggle(button));
}
for (const twin of document.querySelectorAll("details.twin")) {
  twin.addEventListener("toggle", () => {
    document.querySelector(`[data-twin="${twin.id}"]`)?.setAttribute("aria-expanded", String(twin.open));
  });
}
// Where a chart over time has no room, its newest minutes are in view.
function showNewest(chart) {
  const box = chart.closest(".chart-scroll");
  const { xaxis, meta } = figures.get(chart).layout;
  if (box && xaxis?.type === "date" && !meta?.isAhead) box.scrollLeft = box.scrollWidth;
}

for (const chart of charts) read(chart);
for (const chart of charts) draw(chart).then(() => { chart.on("plotly_click", follow); if (figures.get(chart).layout.xaxis?.fixedrange === false) keepZoom(chart); showNewest(chart); });
document.addEventListener("htmx:oobAfterSwap", () => { for (const chart of charts) if (read(chart)) draw(chart); });
document.addEventListener("themechange", drawAll);
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", drawAll);

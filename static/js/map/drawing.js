// On the map of a draft, users who may edit it draw: routes, ends of routes, services, and things to drop.
import { namesOf, pane, when } from "./picture.js";
import { aim } from "./aim.js";
import { startConnect } from "./connect.js";
import { Effect } from "./effect.js";
import { startEnds } from "./ends.js";
import { DraftForm, fromDatabase } from "./form.js";
import { startQuick } from "./quick.js";
import { startHandles } from "./handles.js";
import { Layer } from "./overlay.js";
import { refresh } from "./refresh.js";
import { databaseTargets, startServices } from "./services.js";
import { startSeveral } from "./several.js";
import { filled, targetsFrom, words } from "./targets.js";
import { makeTip } from "./tip.js";

export function startDrawing(viewport) {
  const editor = document.querySelector(".map-editor[data-draft]");
  if (!editor) return;
  const layer = (name) => new Layer(pane.querySelector("svg.overlay"), viewport, name);
  const [routes, drawn] = [new DraftForm(editor.dataset.form), new DraftForm(editor.dataset.drawn)];
  const effect = startEffect(editor);
  const pending = layer("pending");
  for (const name of ["draft:cancelled", "draft:written"]) document.addEventListener(name, () => pending.clear());
  const tools = { viewport, layer: layer("drag"), pending, tip: makeTip(pane, viewport), effect };
  startHandles(viewport, (ref, from, event) => drawRoute(tools, routes, ref, from, event));
  startEnds(viewport, layer("ends"), (end) => drawEnd(tools, routes, end));
  startServices((service) => moveService(tools, drawn, service));
  startSeveral(viewport, layer("several"), (refs) => drawn.show({ drop: refs }));
  startConnect(routes);
  startQuick(viewport, { route: routes, ...rowForms(editor) });
}

function rowForms({ dataset }) {
  return Object.fromEntries(["instance", "database", "service"].map((kind) => [kind, new DraftForm(dataset[kind])]));
}

// Forms in the panel say which edits they would add, and when they were added.
function startEffect(editor) {
  const token = document.querySelector("#draw [name=csrfmiddlewaretoken]").value;
  const effect = new Effect(document.getElementById("effect"), editor.dataset.effect, token);
  effect.show();
  document.addEventListener("draft:try", (event) => { event.preventDefault(); effect.show(event.detail.edits); });
  document.addEventListener("draft:typing", () => effect.stale(true));
  document.addEventListener("draft:written", (event) => { event.preventDefault(); follow(event.detail.url); });
  when("drawn", () => { effect.forget(); effect.show(); });
  return effect;
}

// The draft was written: the picture follows where it stands, and so do the panel and the bar.
async function follow(url) {
  const to = new URL(location.href);
  const select = new URL(url, location.href).searchParams.get("select");
  if (select) to.searchParams.set("select", select); else to.searchParams.delete("select");
  to.searchParams.delete("reach");
  history.pushState(null, "", to);
  await refresh(to.pathname + to.search);
}

// The line of effect says what the target would bring, or why it cannot be.
function whileOver(effect, edits) {
  return (target) => {
    if (target?.refused) effect.refuse(target.refused);
    else effect.show(target && target.ref !== "other" ? () => edits(target) : []);
  };
}

function drawRoute({ effect, ...tools }, form, ref, from, event) {
  const query = (target) => ({ ...fromDatabase(ref), ...target.query });
  aim(event, {
    ...tools,
    from,
    targets: targetsFrom(namesOf(ref)[0], tools.viewport),
    tip: tools.tip(words().route),
    over: whileOver(effect, (target) => form.edits(query(target))),
    drop: (target) => form.show(query(target)),
    cancel: () => effect.show(),
  });
}

// The end of a route is put elsewhere: its address changes, or it gets a mirror.
function drawEnd({ effect, ...tools }, form, { ref, name, field, from, event, done }) {
  const isMirror = field === "mirror_address";
  const query = (target) => ({ ...fromDatabase(ref), route: name, [field]: target.address });
  aim(event, {
    ...tools,
    from,
    targets: targetsFrom(namesOf(ref)[0], tools.viewport).filter((target) => !isMirror || !target.isLocal),
    tip: tools.tip(isMirror ? words().mirror : words().end),
    over: whileOver(effect, (target) => form.edits(query(target))),
    drop: (target) => { done(); form.show(query(target)); },
    cancel: () => { done(); effect.show(); },
  });
}

function moveService({ effect, ...tools }, form, { service, ref, from, event }) {
  const query = (target) => ({ service, from: ref, to: target.ref });
  aim(event, {
    ...tools,
    from,
    targets: databaseTargets(ref),
    tip: tools.tip(filled(words().service, `${service} %s`)),
    over: whileOver(effect, (target) => form.edits(query(target))),
    drop: (target) => form.show(query(target)),
    cancel: () => effect.show(),
  });
}

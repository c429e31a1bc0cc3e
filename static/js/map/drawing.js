// On the map of a draft, users who may edit it draw routes.
import { pane, when } from "./picture.js";
import { aim } from "./aim.js";
import { startConnect } from "./connect.js";
import { Effect } from "./effect.js";
import { RouteForm } from "./form.js";
import { startHandles } from "./handles.js";
import { Layer } from "./overlay.js";
import { targetsFrom, words } from "./targets.js";
import { makeTip } from "./tip.js";
import { namesOf } from "./picture.js";

export function startDrawing(viewport) {
  const editor = document.querySelector(".map-editor[data-draft]");
  if (!editor) return;
  const overlay = pane.querySelector("svg.overlay");
  const form = new RouteForm(editor.dataset.form);
  const token = document.querySelector("#draw [name=csrfmiddlewaretoken]").value;
  const effect = new Effect(document.getElementById("effect"), editor.dataset.effect, token);
  const tools = { viewport, layer: new Layer(overlay, viewport, "drag"), tip: makeTip(pane, viewport), form, effect };
  effect.show();
  when("drawn", () => { effect.forget(); effect.show(); });
  startHandles(viewport, (ref, from, event) => drawRoute(tools, ref, from, event));
  startConnect(viewport, {
    tried: (ref, query) => effect.show(form.edits(ref, query)),
    left: () => effect.show(),
    chosen: (ref, query) => form.open(ref, query),
  });
}

function drawRoute({ viewport, layer, tip, form, effect }, ref, from, event) {
  aim(event, {
    layer,
    viewport,
    from,
    targets: targetsFrom(namesOf(ref)[0], viewport),
    tip: tip(words().route),
    over: (target) => effect.show(target && target.ref !== "other" ? form.edits(ref, target.query) : []),
    drop: (target) => form.open(ref, target.query),
    cancel: () => effect.show(),
  });
}

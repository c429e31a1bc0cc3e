// A drag with one pointer, whatever it drags: it begins after a few pixels, and Escape takes it back.
const THRESHOLD = 4;
const claimed = new WeakSet();

// What a press begins is one thing: whatever takes it first says so.
export function claim(event) { claimed.add(event); }
export function isClaimed(event) { return claimed.has(event); }

// `pane` holds the pointer once it has begun; `begin` may refuse by returning false.
export function drag(pane, down, { begin = () => true, move, end = () => {}, cancel = () => {} }) {
  let begun = false;
  const stop = new AbortController();
  const on = (target, name, act, more = {}) => target.addEventListener(name, act, { signal: stop.signal, ...more });

  const leave = (act, event) => {
    stop.abort();
    if (pane.hasPointerCapture(down.pointerId)) pane.releasePointerCapture(down.pointerId);
    if (begun) { swallowClick(); act(event); }
  };
  on(window, "pointermove", (event) => {
    if (event.pointerId !== down.pointerId) return;
    if (!begun) {
      if (Math.hypot(event.clientX - down.clientX, event.clientY - down.clientY) < THRESHOLD) return;
      if (begin(event) === false) { stop.abort(); return; }
      begun = true;
      try { pane.setPointerCapture(down.pointerId); } catch { /* the pointer is gone: its end follows */ }
    }
    move(event);
  });
  on(window, "pointerup", (event) => { if (event.pointerId === down.pointerId) leave(end, event); });
  on(window, "pointercancel", (event) => { if (event.pointerId === down.pointerId) leave(cancel, event); });
  on(window, "pointerdown", (event) => { if (event.pointerId !== down.pointerId) leave(cancel, event); });
  on(window, "blur", (event) => leave(cancel, event));
  on(window, "keydown", (event) => {
    if (event.key !== "Escape" || !begun) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    leave(cancel, event);
  }, { capture: true });
}

// The click that follows a drag is not meant.
function swallowClick() {
  const stop = new AbortController();
  window.addEventListener("click", (event) => { event.preventDefault(); event.stopPropagation(); }, { capture: true, signal: stop.signal });
  setTimeout(() => stop.abort());
}

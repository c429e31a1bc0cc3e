// While something is dragged to an edge of the pane, the picture comes on from there: the nearer, the faster.
const [ZONE, MARGIN] = [28, 24];
const FURTHER = 8;
const PX_PER_S = 900;
const [FIRST_S, LONGEST_S] = [0.016, 0.05];

// From -1 to 1: towards which end, and how fast.
function pull(at, size) {
  if (at < ZONE) return Math.max(at - ZONE, -ZONE) / ZONE;
  return Math.min(Math.max(0, at - (size - ZONE)), ZONE) / ZONE;
}

// Only as far as there is something to see.
function within(by, start, end, size) {
  return by > 0 ? Math.min(by, Math.max(0, MARGIN - start)) : Math.max(by, Math.min(0, size - MARGIN - end));
}

// `panned` hears of each step. A drag that was `pressed` at an edge goes further towards it, or leaves it first: neither
// a press nor a way along the edge moves the picture.
export function edgePan(viewport, pressed, panned) {
  const depth = ({ x, y }) => ZONE * Math.max(Math.abs(pull(x, viewport.width)), Math.abs(pull(y, viewport.height)));
  const begun = depth(pressed);
  let [point, isArmed, frame, last] = [null, !begun, 0, 0];

  function by(seconds) {
    const { x, y, k, width, height, bounds } = viewport;
    const step = (at, size) => -pull(at, size) * PX_PER_S * seconds;
    return {
      x: within(step(point.x, width), bounds.x * k + x, (bounds.x + bounds.w) * k + x, width),
      y: within(step(point.y, height), bounds.y * k + y, (bounds.y + bounds.h) * k + y, height),
    };
  }
  function step(now) {
    const { x, y } = by(last ? Math.min((now - last) / 1000, LONGEST_S) : FIRST_S);
    [frame, last] = [0, now];
    if (!x && !y) return;
    viewport.panBy(x, y);
    panned();
    if (point) frame = requestAnimationFrame(step);
  }
  return {
    at(to) {
      point = to;
      const now = depth(to);
      isArmed ||= !now || now - begun >= FURTHER;
      if (!isArmed || !now || frame) return;
      last = 0;
      frame = requestAnimationFrame(step);
    },
    stop() { cancelAnimationFrame(frame); frame = 0; point = null; },
  };
}

// While something is dragged to an edge of the pane, the picture comes on from there: the nearer, the faster.
const [ZONE, MARGIN] = [28, 24];
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

// `panned` hears of each step. A drag that begins at an edge has to leave it first: a press alone moves nothing.
export function edgePan(viewport, panned) {
  let [point, isArmed, frame, last] = [null, false, 0, 0];

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
      const isAtEdge = pull(to.x, viewport.width) || pull(to.y, viewport.height);
      isArmed ||= !isAtEdge;
      if (!isArmed || !isAtEdge || frame) return;
      last = 0;
      frame = requestAnimationFrame(step);
    },
    stop() { cancelAnimationFrame(frame); frame = 0; point = null; isArmed = false; },
  };
}

// Areas `{x, y, w, h}`, points `{x, y}` and the curves between them.
export function union(areas) {
  if (!areas.length) return { x: 0, y: 0, w: 0, h: 0 };
  const [x, y] = [Math.min(...areas.map((one) => one.x)), Math.min(...areas.map((one) => one.y))];
  const right = Math.max(...areas.map((one) => one.x + one.w));
  const bottom = Math.max(...areas.map((one) => one.y + one.h));
  return { x, y, w: right - x, h: bottom - y };
}

export function holds(area, point, margin = 0) {
  return point.x >= area.x - margin && point.x <= area.x + area.w + margin
    && point.y >= area.y - margin && point.y <= area.y + area.h + margin;
}

export function overlaps(one, other, gap = 0) {
  return one.x < other.x + other.w + gap && other.x < one.x + one.w + gap
    && one.y < other.y + other.h + gap && other.y < one.y + one.h + gap;
}

export function sizeOf({ w, h }) { return Math.max(0, w) * Math.max(0, h); }

// The area that both cover.
export function common(one, other) {
  const [x, y] = [Math.max(one.x, other.x), Math.max(one.y, other.y)];
  return { x, y, w: Math.min(one.x + one.w, other.x + other.w) - x, h: Math.min(one.y + one.h, other.y + other.h) - y };
}

export function middle(area) { return { x: area.x + area.w / 2, y: area.y + area.h / 2 }; }
export function grown(area, by) { return { x: area.x - by, y: area.y - by, w: area.w + 2 * by, h: area.h + 2 * by }; }
export function clamp(value, least, most) { return Math.min(Math.max(value, least), most); }

// A curve that leaves and enters level; `out` and `into` are 1 to the right, -1 to the left.
export function curve(from, to, out, into) {
  const reach = Math.max(40, Math.abs(to.x - from.x) / 2);
  const [one, two] = [{ x: from.x + out * reach, y: from.y }, { x: to.x - into * reach, y: to.y }];
  const at = (a, b, c, d) => (a + 3 * b + 3 * c + d) / 8;
  return {
    path: `M${from.x} ${from.y}C${one.x} ${one.y} ${two.x} ${two.y} ${to.x} ${to.y}`,
    middle: { x: at(from.x, one.x, two.x, to.x), y: at(from.y, one.y, two.y, to.y) },
  };
}

const ENTER_Y = 16;

// From the edge of a row to a box: from whichever side is nearer to it.
export function joined(row, from, to, enterY = ENTER_Y) {
  const y = row.y + row.h / 2;
  const end = to.y + Math.min(enterY, to.h / 2);
  if (to.x >= from.x + from.w) return curve({ x: row.x + row.w, y }, { x: to.x, y: end }, 1, 1);
  if (to.x + to.w <= from.x) return curve({ x: row.x, y }, { x: to.x + to.w, y: end }, -1, -1);
  return curve({ x: row.x + row.w, y }, { x: to.x + to.w, y: end }, 1, -1);
}

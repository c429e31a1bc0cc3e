"""The corners of a line, and how SVG writes them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

PathPoint = tuple[float, float]


@dataclass(frozen=True, slots=True)
class EdgePath:
    """A line of horizontal and vertical pieces, from the side of one box to the side of another."""

    points: tuple[PathPoint, ...]
    label: PathPoint | None = None
    """The left end of its label, at the height of the line that it stands on."""

    def moved(self, x: float, y: float) -> EdgePath:
        """Return the line moved right and down by pixels."""
        label = (self.label[0] + x, self.label[1] + y) if self.label else None
        return EdgePath(tuple((at_x + x, at_y + y) for at_x, at_y in self.points), label)


def svg_path(points: Iterable[PathPoint]) -> str:
    """The line through these points as the `d` of an SVG path; each is level with, above or below the one before."""
    corners = without_straight_points(points)
    (x, y), *rest = corners
    path = f"M{x:g} {y:g}"
    for to_x, to_y in rest:
        path += f"H{to_x:g}" if to_y == y else f"V{to_y:g}"
        y = to_y
    return path


def without_straight_points(points: Iterable[PathPoint]) -> Sequence[PathPoint]:
    """The first and the last point, and those between at which the line turns."""
    corners: list[PathPoint] = []
    for point in points:
        if corners and point == corners[-1]:
            continue
        if len(corners) > 1 and _is_straight(corners[-2], corners[-1], point):
            corners.pop()
        corners.append(point)
    return corners


def _is_straight(first: PathPoint, middle: PathPoint, last: PathPoint) -> bool:
    return first[0] == middle[0] == last[0] or first[1] == middle[1] == last[1]

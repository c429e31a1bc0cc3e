"""Order of the tracks in one channel: so that lines cross seldom, and never run upon one another."""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort
from collections.abc import Sequence
from dataclasses import dataclass, field

from brokerui.drawing.layered.spacing import STEP

OVERLAP_COST = 50
"""Crossings that one overlap of two lines is worth."""
SAME_HEIGHT = 3.0
"""Lines that are nearer than this to one another look like one."""


@dataclass(slots=True)
class TrackSpan:
    """The heights at which lines come to a track, from either side of its channel."""

    left: list[float] = field(default_factory=list)
    right: list[float] = field(default_factory=list)

    def meet(self, y: float, *, is_from_left: bool) -> None:
        insort(self.left if is_from_left else self.right, y)

    @property
    def top(self) -> float:
        return min((*self.left[:1], *self.right[:1]))

    @property
    def bottom(self) -> float:
        return max((*self.left[-1:], *self.right[-1:]))

    @property
    def is_straight(self) -> bool:
        """Whether its lines go through the channel without a turn, so that it needs no place of its own."""
        return self.top == self.bottom


def track_places(spans: Sequence[TrackSpan]) -> list[int]:
    """The place of each track, counted from the left; tracks that do not stand side by side may share one."""
    extents = [(span.top, span.bottom) for span in spans]
    order: list[int] = []
    for index in sorted((i for i, span in enumerate(spans) if not span.is_straight), key=extents.__getitem__):
        order.insert(_best_position(spans, extents, order, index), index)
    places = [0] * len(spans)
    for position, index in enumerate(order):
        before = (other for other in order[:position] if _is_beside(extents[other], extents[index]))
        places[index] = max((places[other] + 1 for other in before), default=0)
    return places


Extent = tuple[float, float]


def _best_position(spans: Sequence[TrackSpan], extents: Sequence[Extent], order: Sequence[int], new: int) -> int:
    """Where in the order a track crosses the fewest lines: the leftmost of equally good positions."""
    costs = [(0, 0)] * len(order)
    for position, other in enumerate(order):
        if _is_beside(extents[other], extents[new]):
            costs[position] = (
                _cost(spans[new], extents[new], spans[other], extents[other]),
                _cost(spans[other], extents[other], spans[new], extents[new]),
            )
    cost = best = sum(right_of_it for right_of_it, _ in costs)
    found = 0
    for position, (as_left, as_right) in enumerate(costs, 1):
        cost += as_right - as_left
        if cost < best:
            best, found = cost, position
    return found


def _is_beside(one: Extent, other: Extent) -> bool:
    return one[0] <= other[1] + STEP and other[0] <= one[1] + STEP


def _cost(left: TrackSpan, left_extent: Extent, right: TrackSpan, right_extent: Extent) -> int:
    """How many lines cross if the one track stands left of the other, and what overlaps cost."""
    crossings = _within(left.right, right_extent) + _within(right.left, left_extent)
    overlaps = sum(_within(left.right, (y - SAME_HEIGHT, y + SAME_HEIGHT)) for y in right.left)
    return crossings + OVERLAP_COST * overlaps


def _within(heights: Sequence[float], extent: Extent) -> int:
    return bisect_right(heights, extent[1]) - bisect_left(heights, extent[0])

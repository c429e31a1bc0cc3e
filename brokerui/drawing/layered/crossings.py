"""Order of boxes and lanes in each column: beside what they are joined to, so that lines cross seldom."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from statistics import fmean

from brokerui.drawing.layered.diagram import DiagramEdge, K
from brokerui.drawing.layered.edge_routing import EdgeRouting, LayoutLane

SWEEPS = 4


def ordered(
    columns: Sequence[Sequence[K]], routing: EdgeRouting[K], edges: Iterable[DiagramEdge[K]]
) -> list[list[K | LayoutLane]]:
    """The boxes and lanes of each column from top to bottom, by the mean height of what they are joined to."""
    items: list[list[K | LayoutLane]] = [[*column, *routing.lanes[index]] for index, column in enumerate(columns)]
    joined = _joined(routing, edges)
    heights: dict[K | LayoutLane, float] = {}
    for column in items:
        _spread(column, heights)
    for sweep in range(SWEEPS):
        for column in items if sweep % 2 == 0 else reversed(items):
            means = {item: _mean(joined[item], item, heights) for item in column}
            column.sort(key=means.__getitem__)
            _spread(column, heights)
    return items


def _spread(column: Sequence[K | LayoutLane], heights: dict[K | LayoutLane, float]) -> None:
    """Note where each item stands in its column, from 0 to 1."""
    for index, item in enumerate(column):
        heights[item] = (index + 0.5) / len(column)


def _joined(routing: EdgeRouting[K], edges: Iterable[DiagramEdge[K]]) -> dict[K | LayoutLane, list[K | LayoutLane]]:
    """Return the boxes and lanes joined to each box and lane, once for each edge."""
    joined: dict[K | LayoutLane, list[K | LayoutLane]] = defaultdict(list)
    for edge in edges:
        stations: list[K | LayoutLane] = [edge.source, *routing.routes[edge.key].lanes, edge.target]
        for before, after in pairwise(stations):
            joined[before].append(after)
            joined[after].append(before)
    return joined


def _mean(joined: Sequence[K | LayoutLane], item: K | LayoutLane, heights: Mapping[K | LayoutLane, float]) -> float:
    return fmean(heights[other] for other in joined) if joined else heights[item]

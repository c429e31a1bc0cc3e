"""Lanes moved up or down within their room, so that lines which pass several columns bend less."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import inf
from typing import Generic

from brokerui.drawing.layered.diagram import DiagramEdge, DiagramNode, K
from brokerui.drawing.layered.edge_routing import EdgeRouting, LayoutLane
from brokerui.drawing.layered.heights import Heights
from brokerui.drawing.layered.spacing import LANE_CLEARANCE, LANE_Y, STEP


def straighten(
    heights: Heights[K],
    columns: Iterable[Sequence[K | LayoutLane]],
    nodes: Mapping[K, DiagramNode[K]],
    edges: Iterable[DiagramEdge[K]],
    routing: EdgeRouting[K],
) -> None:
    """Bring each lane level with the piece of line before it as far as there is room, then with the one after it."""
    rooms = _Rooms(heights, columns, nodes)
    for edge in edges:
        lanes = routing.routes[edge.key].lanes
        source = heights.boxes[edge.source] + edge.leave_y
        target = heights.boxes[edge.target] + edge.enter_y
        _follow(heights, rooms, lanes, source)
        _follow(heights, rooms, lanes[::-1], target)


def _follow(heights: Heights[K], rooms: _Rooms[K], lanes: Iterable[LayoutLane], level: float) -> None:
    """Bring each of some lanes level with the one before it, the first with this level."""
    for lane in lanes:
        heights.lanes[lane] = rooms.nearest(lane, level)
        level = heights.lanes[lane]


class _Rooms(Generic[K]):
    """The heights between which each lane may lie: clear of what stands above it in its column, and below it."""

    def __init__(
        self, heights: Heights[K], columns: Iterable[Sequence[K | LayoutLane]], nodes: Mapping[K, DiagramNode[K]]
    ) -> None:
        self.heights = heights
        self.nodes = nodes
        self.around: dict[LayoutLane, tuple[K | LayoutLane | None, K | LayoutLane | None]] = {}
        for column in columns:
            for above, item, below in zip([None, *column], column, [*column[1:], None], strict=False):
                if isinstance(item, LayoutLane):
                    self.around[item] = above, below

    def nearest(self, lane: LayoutLane, level: float) -> float:
        """The height nearest to this one at which the lane may lie."""
        above, below = self.around[lane]
        top, bottom = LANE_Y, inf
        if isinstance(above, LayoutLane):
            top = self.heights.lanes[above] + STEP
        elif above is not None:
            top = self.heights.boxes[above] + self.nodes[above].height + LANE_CLEARANCE
        if isinstance(below, LayoutLane):
            bottom = self.heights.lanes[below] - STEP
        elif below is not None:
            bottom = self.heights.boxes[below] - LANE_CLEARANCE
        return max(top, min(level, bottom))

"""The way of each edge: through which channels it runs, and which columns it passes between their boxes."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Generic, NamedTuple

from brokerui.drawing.layered.diagram import LEFT, RIGHT, SOURCE, DiagramEdge, K


class LayoutLane(NamedTuple):
    """Room in a column for the lines of a bundle that pass between its boxes."""

    bundle: Hashable
    column: int


class LayoutTrack(NamedTuple):
    """The vertical piece of line that the edges of a bundle share in a channel."""

    bundle: Hashable
    channel: int


class EdgeRoute(NamedTuple):
    """An edge takes the first track, the first lane, the second track, and so on; it ends with a track."""

    tracks: tuple[LayoutTrack, ...]
    lanes: tuple[LayoutLane, ...]
    leave_side: str
    enter_side: str

    @property
    def is_rightward(self) -> bool:
        """Whether it runs through its lanes from left to right."""
        return self.tracks[0].channel < self.tracks[-1].channel


class EdgeRouting(Generic[K]):
    """The routes of all edges of a connected part, and the lanes that each column needs for them."""

    def __init__(self, columns: Sequence[Iterable[K]], edges: Iterable[DiagramEdge[K]]) -> None:
        self.column = {key: index for index, column in enumerate(columns) for key in column}
        self.routes = {edge.key: self._route(edge) for edge in edges}
        self.lanes: Mapping[int, dict[LayoutLane, None]] = defaultdict(dict)
        """By column, in the order in which edges take them."""
        for route in self.routes.values():
            for lane in route.lanes:
                self.lanes[lane.column][lane] = None

    def _route(self, edge: DiagramEdge[K]) -> EdgeRoute:
        here, there = self.column[edge.source], self.column[edge.target]
        leave = edge.leave_side or (LEFT if there < here else RIGHT)
        enter = edge.enter_side or (LEFT if there > here else RIGHT)
        first, last = here + (leave == RIGHT), there + (enter == RIGHT)
        step = 1 if last >= first else -1
        tracks = tuple(LayoutTrack(edge.bundle, channel) for channel in range(first, last + step, step))
        passed = range(first, last) if step == 1 else range(first - 1, last - 1, -1)
        return EdgeRoute(tracks, tuple(LayoutLane(edge.bundle, column) for column in passed), leave, enter)


def label_side(edge: DiagramEdge[K], route: EdgeRoute) -> str:
    """The side of its box at which the label of an edge stands."""
    return route.leave_side if edge.label_at == SOURCE else route.enter_side

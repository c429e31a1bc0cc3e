"""The channels of a connected part: how wide each is, and where its tracks stand."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence

from brokerui.drawing.layered.diagram import LEFT, RIGHT, DiagramEdge, DiagramNode, K
from brokerui.drawing.layered.edge_routing import EdgeRoute, EdgeRouting, LayoutTrack, label_side
from brokerui.drawing.layered.spacing import CLEARANCE, LABEL_GAP, TRACK_GAP
from brokerui.drawing.layered.tracks import TrackSpan, track_places

Levels = Mapping[Hashable, Sequence[float]]
"""By the key of an edge: the heights of its horizontal pieces."""


class Channels:
    """The edges in each channel."""

    def __init__(self, routes: Mapping[Hashable, EdgeRoute], levels: Levels) -> None:
        self.track_x: dict[LayoutTrack, float] = {}
        self._spans: dict[int, dict[LayoutTrack, TrackSpan]] = defaultdict(lambda: defaultdict(TrackSpan))
        self._rooms: dict[tuple[int, str], float] = defaultdict(float)
        for key, route in routes.items():
            self._meet(route, levels[key])

    def _meet(self, route: EdgeRoute, levels: Sequence[float]) -> None:
        """Note at which heights, and from which side, the lines of an edge come to their tracks."""
        for index, track in enumerate(route.tracks):
            is_last = index == len(route.lanes)
            comes_from_left = route.is_rightward if index else route.leave_side == RIGHT
            goes_to_left = route.enter_side == RIGHT if is_last else not route.is_rightward
            span = self._spans[track.channel][track]
            span.meet(levels[index], is_from_left=comes_from_left)
            span.meet(levels[index + 1], is_from_left=goes_to_left)

    def reserve(
        self, routing: EdgeRouting[K], edges: Iterable[DiagramEdge[K]], nodes: Mapping[K, DiagramNode[K]]
    ) -> None:
        """Keep room for labels, and for what callers draw, beside the boxes."""
        for key, column in routing.column.items():
            self._widen(column, RIGHT, nodes[key].room_left)
        for edge in edges:
            if edge.label_width:
                column = routing.column[edge.label_node]
                room = edge.label_width + LABEL_GAP
                if label_side(edge, routing.routes[edge.key]) == LEFT:
                    self._widen(column, RIGHT, room)
                else:
                    self._widen(column + 1, LEFT, room)

    def _widen(self, channel: int, side: str, room: float) -> None:
        self._rooms[channel, side] = max(self._rooms[channel, side], room)

    def place(self, channel: int, x: float) -> float:
        """Place the tracks of the channel that begins at `x`; the width of the channel."""
        left, right = self._rooms[channel, LEFT], self._rooms[channel, RIGHT]
        spans = self._spans.get(channel)
        if not spans:
            return left + right
        places = track_places(list(spans.values()))
        for track, place in zip(spans, places, strict=True):
            self.track_x[track] = x + left + CLEARANCE + place * TRACK_GAP
        return left + 2 * CLEARANCE + max(places) * TRACK_GAP + right

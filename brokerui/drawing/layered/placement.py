"""Coordinates of one connected part: its columns from left to right, with the channels between them."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic

from brokerui.drawing.area import Area
from brokerui.drawing.layered.channels import Channels, Levels
from brokerui.drawing.layered.diagram import LEFT, RIGHT, SOURCE, DiagramEdge, DiagramNode, K
from brokerui.drawing.layered.edge_path import EdgePath, PathPoint
from brokerui.drawing.layered.edge_routing import EdgeRoute, EdgeRouting, LayoutLane, LayoutTrack, label_side
from brokerui.drawing.layered.heights import Heights, stacked
from brokerui.drawing.layered.spacing import LABEL_GAP, STEP
from brokerui.drawing.layered.straightening import straighten

Column = Sequence[K | LayoutLane]


@dataclass(frozen=True, slots=True)
class PlacedPart(Generic[K]):
    """A connected part with places of its own, from its left upper corner."""

    width: float
    height: float
    boxes: Mapping[K, Area]
    paths: Mapping[Hashable, EdgePath]


def place(
    columns: Sequence[Column[K]],
    nodes: Mapping[K, DiagramNode[K]],
    edges: Sequence[DiagramEdge[K]],
    routing: EdgeRouting[K],
    *,
    is_top_aligned: bool,
    has_equal_widths: bool,
) -> PlacedPart[K]:
    """Give the boxes and lines of a connected part their places."""
    heights = stacked(columns, nodes, is_top_aligned=is_top_aligned)
    if is_top_aligned:
        straighten(heights, columns, nodes, edges, routing)
    levels = {edge.key: heights.of_edge(edge, routing.routes[edge.key]) for edge in edges}
    channels = Channels(routing.routes, levels)
    channels.reserve(routing, edges, nodes)
    boxes: dict[K, Area] = {}
    x = 0.0
    for index, column in enumerate(columns):
        x += channels.place(index, x)
        x += _place_column(boxes, column, nodes, heights, x, has_equal_widths)
    height = max([*(box.y + box.h for box in boxes.values()), *(y + STEP / 2 for y in heights.lanes.values())])
    width = x + channels.place(len(columns), x)
    paths = {edge.key: _path(edge, routing.routes[edge.key], boxes, levels, channels.track_x) for edge in edges}
    return PlacedPart(width, height, boxes, paths)


def _place_column(
    boxes: dict[K, Area],
    column: Column[K],
    nodes: Mapping[K, DiagramNode[K]],
    heights: Heights[K],
    x: float,
    has_equal_widths: bool,
) -> float:
    """Place the boxes of a column; its width."""
    inside = [nodes[item] for item in column if not isinstance(item, LayoutLane)]
    widest = max((node.width for node in inside), default=0.0)
    for node in inside:
        width = widest if has_equal_widths else node.width
        boxes[node.key] = Area(x, heights.boxes[node.key], width, node.height)
    return widest


def _path(
    edge: DiagramEdge[K],
    route: EdgeRoute,
    boxes: Mapping[K, Area],
    levels: Levels,
    track_x: Mapping[LayoutTrack, float],
) -> EdgePath:
    heights = levels[edge.key]
    points = [(_side_x(boxes[edge.source], route.leave_side), heights[0])]
    for index, track in enumerate(route.tracks):
        points += [(track_x[track], heights[index]), (track_x[track], heights[index + 1])]
    points.append((_side_x(boxes[edge.target], route.enter_side), heights[-1]))
    return EdgePath(tuple(points), _label(edge, route, points) if edge.label_width else None)


def _side_x(box: Area, side: str) -> float:
    return box.x + box.w if side == RIGHT else box.x


def _label(edge: DiagramEdge[K], route: EdgeRoute, points: Sequence[PathPoint]) -> PathPoint:
    x, y = points[0] if edge.label_at == SOURCE else points[-1]
    return (x - LABEL_GAP - edge.label_width if label_side(edge, route) == LEFT else x + LABEL_GAP), y

"""From a diagram to its layout: each connected part by itself, the parts in rows."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from typing import Generic

from brokerui.drawing.area import Area
from brokerui.drawing.layered.adjacency import Adjacency
from brokerui.drawing.layered.columns import columns_of
from brokerui.drawing.layered.crossings import ordered
from brokerui.drawing.layered.diagram import Diagram, DiagramEdge, K
from brokerui.drawing.layered.edge_path import EdgePath
from brokerui.drawing.layered.edge_routing import EdgeRouting
from brokerui.drawing.layered.placement import PlacedPart, place
from brokerui.drawing.layered.spacing import ASPECT, MARGIN, PART_GAP


@dataclass(frozen=True, slots=True)
class LayeredLayout(Generic[K]):
    """Where everything stands, in pixels from the left upper corner of the picture."""

    width: float
    height: float
    boxes: Mapping[K, Area]
    """By part, in each from left to right, in a column from top to bottom."""
    nested: Mapping[tuple[K, Hashable], Area]
    """By the key of the outer box and the key of the nested one."""
    paths: Mapping[Hashable, EdgePath]
    """By the key of the edge."""


def lay_out(diagram: Diagram[K]) -> LayeredLayout[K]:
    """The layout of a diagram: the same one for the same diagram."""
    graph = Adjacency(diagram)
    by_source: dict[K, list[DiagramEdge[K]]] = defaultdict(list)
    for edge in diagram.edges:
        by_source[edge.source].append(edge)
    return _joined(diagram, [_placed(diagram, graph, part, by_source) for part in graph.parts(graph.nodes)])


def _placed(
    diagram: Diagram[K], graph: Adjacency[K], keys: Sequence[K], by_source: Mapping[K, Sequence[DiagramEdge[K]]]
) -> PlacedPart[K]:
    edges = [edge for key in keys for edge in by_source.get(key, ())]
    columns = columns_of(graph, keys)
    routing = EdgeRouting(columns, edges)
    items = ordered(columns, routing, edges)
    return place(
        items,
        graph.nodes,
        edges,
        routing,
        is_top_aligned=diagram.is_top_aligned,
        has_equal_widths=diagram.has_equal_widths,
    )


def _joined(diagram: Diagram[K], parts: Sequence[PlacedPart[K]]) -> LayeredLayout[K]:
    """All parts in one picture."""
    corners = _corners(parts)
    boxes: dict[K, Area] = {}
    paths: dict[Hashable, EdgePath] = {}
    for part, (x, y) in zip(parts, corners, strict=True):
        boxes.update((key, area.moved(x, y)) for key, area in part.boxes.items())
        paths.update((key, path.moved(x, y)) for key, path in part.paths.items())
    width = max((x + part.width for part, (x, _) in zip(parts, corners, strict=True)), default=0.0)
    height = max((y + part.height for part, (_, y) in zip(parts, corners, strict=True)), default=0.0)
    nested = {(node.key, one.key): one.within(boxes[node.key]) for node in diagram.nodes for one in node.nested}
    return LayeredLayout(width + MARGIN, height + MARGIN, boxes, nested, paths)


def _corners(parts: Sequence[PlacedPart[K]]) -> list[tuple[float, float]]:
    """The left upper corner of each part: in rows as wide as the picture should be, the highest parts first."""
    area = sum((part.width + PART_GAP) * (part.height + PART_GAP) for part in parts)
    room = max([sqrt(area * ASPECT), *(part.width for part in parts)])
    corners = [(0.0, 0.0)] * len(parts)
    x = y = MARGIN
    row_height = 0.0
    for index in sorted(range(len(parts)), key=lambda index: -parts[index].height):
        part = parts[index]
        if x > MARGIN and x + part.width > room + MARGIN:
            x, y, row_height = MARGIN, y + row_height + PART_GAP, 0.0
        corners[index] = x, y
        x += part.width + PART_GAP
        row_height = max(row_height, part.height)
    return corners

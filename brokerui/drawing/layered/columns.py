"""Choice of columns: the most connected box in the middle, the others by their distance from it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from math import sqrt

from brokerui.drawing.layered.adjacency import Adjacency
from brokerui.drawing.layered.diagram import K
from brokerui.drawing.layered.spacing import ASPECT, BOX_GAP, CLEARANCE

MAX_IMBALANCE = 700.0
"""How much higher one side of the middle may become so that its boxes stand on the side to which their edges lead."""


def columns_of(graph: Adjacency[K], part: Sequence[K]) -> list[list[K]]:
    """The boxes of a connected part by column: as they ask for, or as the layout chooses if one does not ask."""
    by_column: dict[int, list[K]] = defaultdict(list)
    for key in part:
        column = graph.nodes[key].column
        if column is None:
            return _chosen(graph, part)
        by_column[column].append(key)
    return [by_column[column] for column in sorted(by_column)]


def _chosen(graph: Adjacency[K], part: Sequence[K]) -> list[list[K]]:
    """Columns that are not much higher than the part is wide."""
    root = max(part, key=lambda key: len(graph.neighbours[key]))
    left, right = _sides(graph, root, part)
    limit = _height_limit(graph, part)
    columns = [[root]]
    for layer in _layers(graph, root, right):
        columns += _split(graph, layer, limit)
    for layer in _layers(graph, root, left):
        columns[:0] = reversed(_split(graph, layer, limit))
    return columns


def _sides(graph: Adjacency[K], root: K, part: Sequence[K]) -> tuple[set[K], set[K]]:
    """Boxes that mostly lead to the middle stand at its left, those to which it mostly leads at its right."""
    sides: tuple[set[K], set[K]] = set(), set()
    heights = [0.0, 0.0]
    for piece in graph.parts(key for key in part if key != root):
        side = _side(graph, root, piece, heights)
        sides[side].update(piece)
        heights[side] += _height(graph, piece)
    return sides


def _side(graph: Adjacency[K], root: K, piece: Sequence[K], heights: Sequence[float]) -> int:
    lower = 0 if heights[0] < heights[1] else 1
    onward = sum(graph.edges[root].get(key, 0) for key in piece)
    back = sum(graph.edges[key].get(root, 0) for key in piece)
    wanted = lower if onward == back else int(onward > back)
    return wanted if heights[wanted] - heights[1 - wanted] < MAX_IMBALANCE else lower


def _layers(graph: Adjacency[K], root: K, side: set[K]) -> Iterator[list[K]]:
    """Yield the boxes of a side by the number of edges between them and the middle."""
    seen, layer = {root}, [root]
    while True:
        found = dict.fromkeys(other for key in layer for other in graph.neighbours[key] if other in side - seen)
        if not found:
            return
        layer = list(found)
        seen.update(layer)
        yield layer


def _height_limit(graph: Adjacency[K], part: Sequence[K]) -> float:
    nodes = [graph.nodes[key] for key in part]
    area = sum((node.width + 4 * CLEARANCE) * (node.height + BOX_GAP) for node in nodes)
    return max(sqrt(area / ASPECT), *(node.height + BOX_GAP for node in nodes))


def _height(graph: Adjacency[K], keys: Iterable[K]) -> float:
    return sum(graph.nodes[key].height + BOX_GAP for key in keys)


def _split(graph: Adjacency[K], layer: list[K], limit: float) -> list[list[K]]:
    """One column, or several of about the same height."""
    total = _height(graph, layer)
    count = max(1, round(total / limit))
    columns: list[list[K]] = [[]]
    height = 0.0
    for key in layer:
        own = _height(graph, [key])
        if columns[-1] and len(columns) < count and height + own / 2 > total / count:
            columns.append([])
            height = 0.0
        columns[-1].append(key)
        height += own
    return columns

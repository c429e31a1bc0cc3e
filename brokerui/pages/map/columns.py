"""Which column each box stands in, and in which order: the most connected in the middle, others by their distance."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import sqrt

from brokerui.estate.refs import Ref

Edges = Mapping[Ref, Mapping[Ref, int]]
"""Of each box: to how many others it leads, and by how many lines."""
Column = list[Ref]
WIDER = 1.1
"""How much wider than high a part of the picture should be."""
ASKEW = 700.0
"""So much higher one side may be for the sake of directions."""


@dataclass(frozen=True, slots=True)
class Size:
    """The measures of a box, with the room around it."""

    w: float
    h: float


class Graph:
    """Boxes, what joins them, and their sizes."""

    def __init__(self, sizes: Mapping[Ref, Size], edges: Edges) -> None:
        self.sizes = sizes
        self.edges = edges
        self.order = {ref: index for index, ref in enumerate(sizes)}
        near: dict[Ref, dict[Ref, None]] = defaultdict(dict)
        for source, targets in edges.items():
            for target in targets:
                if source != target:
                    near[source][target] = None
                    near[target][source] = None
        self.near = near

    def parts(self, among: Iterable[Ref]) -> Iterator[list[Ref]]:
        """The connected parts of some boxes, each in the order of the plan."""
        left = dict.fromkeys(among)
        while left:
            reached = [next(iter(left))]
            del left[reached[0]]
            for ref in reached:
                new = [other for other in self.near[ref] if other in left]
                reached += new
                for other in new:
                    del left[other]
            yield sorted(reached, key=self.order.__getitem__)

    def height(self, refs: Iterable[Ref]) -> float:
        return sum(self.sizes[ref].h for ref in refs)


def columns_of(graph: Graph, part: Sequence[Ref]) -> list[Column]:
    """The columns of a connected part, from left to right; none much higher than the part is wide."""
    root = max(part, key=lambda ref: len(graph.near[ref]))
    left, right = _sides(graph, root, part)
    highest = _highest(graph, part)
    columns = [[root]]
    for layer in _layers(graph, root, right):
        columns += _cut(graph, layer, highest)
    for layer in _layers(graph, root, left):
        columns[:0] = reversed(_cut(graph, layer, highest))
    return columns


def _sides(graph: Graph, root: Ref, part: Sequence[Ref]) -> tuple[set[Ref], set[Ref]]:
    """What mostly sends to the middle stands at its left, what it mostly sends to at its right."""
    sides: tuple[set[Ref], set[Ref]] = set(), set()
    heights = [0.0, 0.0]
    for piece in graph.parts(ref for ref in part if ref != root):
        side = _side(graph, root, piece, heights)
        sides[side].update(piece)
        heights[side] += graph.height(piece)
    return sides


def _side(graph: Graph, root: Ref, piece: Sequence[Ref], heights: Sequence[float]) -> int:
    lower = 0 if heights[0] < heights[1] else 1
    onward = sum(graph.edges.get(root, {}).get(ref, 0) for ref in piece)
    back = sum(graph.edges.get(ref, {}).get(root, 0) for ref in piece)
    wanted = lower if onward == back else int(onward > back)
    return wanted if heights[wanted] - heights[1 - wanted] < ASKEW else lower


def _layers(graph: Graph, root: Ref, side: set[Ref]) -> Iterator[Column]:
    """By the number of lines from the middle."""
    seen, layer = {root}, [root]
    while True:
        found = dict.fromkeys(other for ref in layer for other in graph.near[ref] if other in side - seen)
        if not found:
            return
        layer = list(found)
        seen.update(layer)
        yield layer


def _highest(graph: Graph, part: Sequence[Ref]) -> float:
    area = sum(graph.sizes[ref].w * graph.sizes[ref].h for ref in part)
    return max(sqrt(area / WIDER), *(graph.sizes[ref].h for ref in part))


def _cut(graph: Graph, layer: Column, highest: float) -> list[Column]:
    """A column, or several of about the same height."""
    count = max(1, round(graph.height(layer) / highest))
    room = graph.height(layer) / count
    columns: list[Column] = [[]]
    for ref in layer:
        if columns[-1] and len(columns) < count and graph.height(columns[-1]) + graph.sizes[ref].h / 2 > room:
            columns.append([])
        columns[-1].append(ref)
    return columns

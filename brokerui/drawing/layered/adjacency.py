"""Which boxes are joined, and the connected parts that they form."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import Generic

from brokerui.drawing.layered.diagram import Diagram, K


class Adjacency(Generic[K]):
    """The boxes of a diagram with their neighbours, in the order in which edges name them."""

    def __init__(self, diagram: Diagram[K]) -> None:
        self.nodes = {node.key: node for node in diagram.nodes}
        self.edges: dict[K, dict[K, int]] = defaultdict(dict)
        """How many edges lead from each box to each other."""
        self.neighbours: dict[K, dict[K, None]] = defaultdict(dict)
        self._order = {key: index for index, key in enumerate(self.nodes)}
        for edge in diagram.edges:
            self._join(edge.source, edge.target)

    def _join(self, source: K, target: K) -> None:
        self.edges[source][target] = self.edges[source].get(target, 0) + 1
        if source != target:
            self.neighbours[source][target] = None
            self.neighbours[target][source] = None

    def parts(self, among: Iterable[K]) -> Iterator[list[K]]:
        """Yield the connected parts that these boxes form, each in the order of the diagram."""
        left = dict.fromkeys(among)
        while left:
            reached = [next(iter(left))]
            del left[reached[0]]
            for key in reached:
                new = [other for other in self.neighbours[key] if other in left]
                reached += new
                for other in new:
                    del left[other]
            yield sorted(reached, key=self._order.__getitem__)

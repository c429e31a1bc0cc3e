"""Compresses a graph into chains of nodes with exactly one successor each, so that a walk passes a chain in one
step."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

Graph = Sequence[Sequence[int]]
"""By node, 0 to n-1: its successors, each once."""


class Interval(NamedTuple):
    """Consecutive nodes of one chain, both ends included."""

    chain: int
    first: int
    last: int


class Chains:
    """Puts every node of a graph into exactly one chain. Only the last node of a chain may have another successor than
    the next."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.chains: list[list[int]] = []
        self.place: list[tuple[int, int]] = [(-1, -1)] * len(graph)
        """By node: its chain, and its position in it."""
        before = _one_before(graph)
        for node in range(len(graph)):
            if node not in before:
                self._add(node, before)
        for node in range(len(graph)):  # the rest are cycles: each becomes a chain that begins anywhere
            if self.place[node][0] < 0:
                self._add(node, before)

    def _add(self, start: int, before: Mapping[int, int]) -> None:
        chain = [start]
        self.place[start] = len(self.chains), 0
        while len(self.graph[chain[-1]]) == 1:
            following = self.graph[chain[-1]][0]
            if before[following] != chain[-1] or self.place[following][0] >= 0:
                break
            self.place[following] = len(self.chains), len(chain)
            chain.append(following)
        self.chains.append(chain)

    def nodes(self, run: Interval) -> list[int]:
        return self.chains[run.chain][run.first : run.last + 1]

    def positions(self, nodes: Iterable[int]) -> dict[int, list[int]]:
        """By chain: the positions of these nodes, ascending."""
        found: dict[int, list[int]] = {}
        for chain, position in sorted(self.place[node] for node in nodes):
            found.setdefault(chain, []).append(position)
        return found


def _one_before(graph: Graph) -> dict[int, int]:
    """By node: the first node that has it as its only successor, and whose chain it continues."""
    before: dict[int, int] = {}
    for node, leads in enumerate(graph):
        if len(leads) == 1:
            before.setdefault(leads[0], node)
    return before


class OverlayGraph:
    """A graph that differs from the graph of the chains in the successors of some nodes.

    Walks go from entry to entry: from an entry along the chain to the next changed node, or to the end of the chain.
    """

    def __init__(self, chains: Chains, leads: Mapping[int, Sequence[int]]) -> None:
        self._chains = chains
        self._leads = leads
        self._stops = chains.positions(leads)

    def run(self, entry: int) -> Interval:
        """The nodes from this one to the next changed node, or to the end of the chain."""
        chain, first = self._chains.place[entry]
        stops = self._stops.get(chain, ())
        found = bisect_left(stops, first)
        last = stops[found] if found < len(stops) else len(self._chains.chains[chain]) - 1
        return Interval(chain, first, last)

    def starts(self, positions: Mapping[int, Sequence[int]]) -> Iterator[int]:
        """One representative node for each interval without a changed node; a walk from it visits the other given
        nodes."""
        for chain, among in positions.items():
            yield self._chains.chains[chain][among[0]]
            for stop in self._stops.get(chain, ()):
                following = bisect_right(among, stop)
                if following < len(among):
                    yield self._chains.chains[chain][among[following]]

    def onward(self, entry: int) -> Sequence[int]:
        """The entries that follow this one."""
        run = self.run(entry)
        return self.follow(self._chains.chains[run.chain][run.last])

    def follow(self, node: int) -> Sequence[int]:
        """The successors of one node."""
        return self._leads.get(node, self._chains.graph[node])

    def part(self, entries: Iterable[int]) -> NodeSet:
        """All nodes that walks from these entries pass before the next entry."""
        return NodeSet(self._chains, map(self.run, entries))


class NodeSet:
    """A set of nodes, stored as intervals: equal sets have equal keys, whatever entries they were built from."""

    def __init__(self, chains: Chains, runs: Iterable[Interval]) -> None:
        self._chains = chains
        self.key = _joined(runs)

    def nodes(self) -> list[int]:
        return [node for run in self.key for node in self._chains.nodes(run)]

    def first(self) -> int:
        """The lowest node."""
        return min(min(self._chains.nodes(run)) for run in self.key)

    def __contains__(self, node: int) -> bool:
        chain, position = self._chains.place[node]
        found = bisect_left(self.key, (chain, position + 1)) - 1
        return found >= 0 and self.key[found].chain == chain and position <= self.key[found].last


def _joined(runs: Iterable[Interval]) -> tuple[Interval, ...]:
    """The intervals in order, with overlapping and adjacent ones merged."""
    joined: list[Interval] = []
    for run in sorted(runs):
        if joined and joined[-1].chain == run.chain and run.first <= joined[-1].last + 1:
            joined[-1] = Interval(run.chain, joined[-1].first, max(joined[-1].last, run.last))
        else:
            joined.append(run)
    return tuple(joined)

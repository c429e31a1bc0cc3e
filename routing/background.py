"""How entry points treat a service that is special nowhere, so that thousands of them are answered at once.

For most names most nodes have nothing of their own: no route for the name, no database with the service. There they
do what they do for a name that occurs nowhere. Entry points whose first hop does the same form a cell; what a class
of traffic meets in a cell is what its first hop leads to, once for all its entry points.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from routing.asked import Asked
from routing.classes import Node
from routing.decision import Outcome
from routing.journey import Place, after


class Lead(NamedTuple):
    """Where a first hop sends a message, whatever the hop limit."""

    instance: str
    forwards: int
    """1 where sending it there was forwarding, else 0."""


@dataclass(frozen=True, slots=True, eq=False)
class Cell:
    """Entry points with the same first hop."""

    ends: frozenset[Outcome]
    """What ends at the first hop."""
    leads: frozenset[Lead]
    """Where the first hop sends it."""
    entries: dict[Node, None]


class Background:
    """The cells that send anything on, and which instances a message may pass from each instance."""

    def __init__(self, asked: Asked, entries: Iterable[Node]) -> None:
        self._asked = asked
        cells: dict[tuple[frozenset[Outcome], frozenset[Lead]], dict[Node, None]] = defaultdict(dict)
        for node in entries:
            ends, leads = self._first_hop(node)
            if leads:
                cells[ends, leads][node] = None
        self._by_lead: dict[str, list[Cell]] = defaultdict(list)
        for (ends, leads), members in cells.items():
            cell = Cell(ends, leads, members)
            for instance in {lead.instance for lead in leads}:
                self._by_lead[instance].append(cell)
        self._reached_by = self._reverse_reach()

    def _first_hop(self, node: Node) -> tuple[frozenset[Outcome], frozenset[Lead]]:
        start = self._asked.start(node)
        follows = [after(start, decision) for decision in self._asked.decide(start)]
        ends = frozenset(end for end in follows if isinstance(end, Outcome))
        leads = frozenset(
            Lead(place.instance, start.hops_remaining - place.hops_remaining)
            for place in follows
            if isinstance(place, Place)
        )
        return ends, leads

    def _reverse_reach(self) -> dict[str, set[str]]:
        """By instance: the instances from which a message may come to it, itself among them."""
        reached_by: dict[str, set[str]] = defaultdict(set)
        for start in self._by_lead:
            reached = {start}
            todo = [start]
            for instance in todo:
                _, leads = self._first_hop((instance, None))
                new = {lead.instance for lead in leads} - reached
                reached |= new
                todo += new
            for instance in reached:
                reached_by[instance].add(start)
        return reached_by

    def cells_towards(self, instances: Iterable[str]) -> dict[Cell, None]:
        """The cells from which a message may come to one of these instances."""
        starts = dict.fromkeys(start for name in instances for start in sorted(self._reached_by.get(name, ())))
        return {cell: None for start in starts for cell in self._by_lead[start]}

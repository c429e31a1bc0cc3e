"""Verdicts of all pairs of entry point and service name, as differences from a name that occurs nowhere."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property

from routing.classes.reachability import FirstHopOutcome, NameReachability, Reachability, entry_points
from routing.classes.traffic_class import Node
from routing.model.estate import Estate

CHUNK = 400
"""Names between two checks of the caller's deadline."""
Tell = Callable[[int], None]
"""Told how many names are done."""


@dataclass(frozen=True)
class Matrix:
    """The verdict of every pair, and the ways of the pairs that a route names."""

    nodes: tuple[Node, ...]
    names: tuple[str, ...]
    base: tuple[str, ...]
    """By entry point: the verdict for a name that occurs nowhere."""
    cells: tuple[tuple[int, ...], ...]
    rows: tuple[NameReachability, ...]
    """By name: where it differs."""
    ways: tuple[tuple[int, int, FirstHopOutcome], ...]
    """Entry point, name and leg, of every pair for which the entry point has a live route by name."""

    @cached_property
    def cell_of(self) -> dict[int, int]:
        return {node: cell for cell, members in enumerate(self.cells) for node in members}

    @cached_property
    def named(self) -> tuple[tuple[int, ...], ...]:
        """By name: the entry points that have a live route for it, in order."""
        found: list[set[int]] = [set() for _ in self.names]
        for node, name, _ in self.ways:
            found[name].add(node)
        return tuple(tuple(sorted(nodes)) for nodes in found)

    def verdict(self, node: int, name: int) -> str:
        """Return the verdict of an entry point and a service name, by their numbers."""
        row = self.rows[name]
        cell_verdict = row.nodes.get(node)
        if cell_verdict is None:
            cell_verdict = row.cells.get(self.cell_of.get(node, -1), self.base[node])
        return cell_verdict


def matrix_of(estate: Estate, at: datetime, names: Sequence[str], tell: Tell | None = None) -> Matrix:
    """Ask the engine for these names."""
    reach = Reachability(estate, at, names)
    rows: list[NameReachability] = []
    ways: list[tuple[int, int, FirstHopOutcome]] = []
    kept: dict[FirstHopOutcome, FirstHopOutcome] = {}
    for number, name in enumerate(names):
        if tell is not None and number % CHUNK == 0:
            tell(number)
        rows.append(reach.of_name(name))
        ways += [(node, number, kept.setdefault(leg, leg)) for node, leg in _in_order(reach, name)]
    return Matrix(reach.nodes, tuple(names), reach.base, reach.cells, tuple(rows), tuple(ways))


def _in_order(reach: Reachability, name: str) -> Iterator[tuple[int, FirstHopOutcome]]:
    for node, legs in sorted(reach.legs(name)):
        for leg in sorted(legs, key=lambda leg: (leg.via or "", leg.end)):
            yield node, leg


def fits(matrix: Matrix, estate: Estate) -> bool:
    """Return whether the matrix fits this estate; one stored by an earlier release may not."""
    return matrix.nodes == tuple(entry_points(estate))

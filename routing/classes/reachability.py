"""The verdict for every conversation without an identifier: from every entry point to every service name.

An estate of 5,000 databases and 10,000 names has 60 million of these pairs, and almost all behave alike: an entry point
without a route or service for a name behaves as for a name that occurs nowhere (`default_behaviour`). So each name is
evaluated only at its special nodes, and once for each cell of other entry points that send to another instance; the
results are exact for all pairs.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import NamedTuple

from routing.classes.class_evaluator import ClassEvaluator
from routing.classes.default_behaviour import DefaultBehaviour, EquivalenceClass, outcomes_of
from routing.classes.name_index import NameIndex
from routing.classes.traffic_class import UNKNOWN_SERVICE, Node, TrafficClass
from routing.model.estate import Estate
from routing.model.route_table import RouteTable
from routing.rules.decision import Outcome
from routing.rules.journey import Position
from routing.rules.verdict import verdict


class FirstHopOutcome(NamedTuple):
    """The first instance on a path, and the outcome of the path."""

    via: str | None
    """None: the conversation ends, or leaves the estate, where it begins."""
    end: Outcome


class NameReachability(NamedTuple):
    """The verdicts for one name that differ from those for a name that occurs nowhere."""

    cells: Mapping[int, str]
    """By number of the cell: the verdict of all its entry points except those in `nodes`."""
    nodes: Mapping[int, str]
    """By number of the entry point: the verdict of those that differ from the rest of their cell."""


class Reachability:
    """One estate at one time. Entry points and cells have numbers; `names` are those that will be evaluated."""

    def __init__(self, estate: Estate, at: datetime, names: Collection[str]) -> None:
        self.estate = estate
        self._at = at
        self.nodes = tuple(entry_points(estate))
        self._number = {node: number for number, node in enumerate(self.nodes)}
        self._nowhere = ClassEvaluator(estate, TrafficClass(UNKNOWN_SERVICE, None, False), at)
        self._specials = NameIndex(estate, Estate(), set(names))
        # With hop limit 0, messages from outside are never sent on: their entry points are in no cell.
        sent = (node for node in self.nodes if estate.hop_limit > 0 or node[1] is not None)
        self._background = DefaultBehaviour(self._nowhere, self._nowhere, sent)
        cells = dict.fromkeys(self._background.cells_towards(self._background.reached_by))
        self._cell_number = {cell: number for number, cell in enumerate(cells)}
        self.cells = tuple(tuple(self._number[node] for node in cell.entries) for cell in cells)
        """The entry points of each cell, by number."""
        self.base = tuple(verdict(self._nowhere.ends(self._nowhere.start(node))) for node in self.nodes)
        """By number of the entry point: the verdict for a name that occurs nowhere."""
        self._last: tuple[str, set[Node], ClassEvaluator] | None = None
        self._cell_of = {node: number for number, members in enumerate(self.cells) for node in members}

    def of_name(self, name: str) -> NameReachability:
        """The verdicts for one name that differ from those for a name that occurs nowhere."""
        special, evaluator = self._evaluator_of(name)
        verdicts = self._of_cells(evaluator, special)
        cells = {number: ends_as for number, ends_as in verdicts if ends_as != self._of_cell(number)}
        return NameReachability(cells, dict(self._of_nodes(evaluator, special, cells)))

    def _evaluator_of(self, name: str) -> tuple[set[Node], ClassEvaluator]:
        """The special nodes of a name, and its evaluator; caches those of the last name."""
        if self._last is None or self._last[0] != name:
            special = self._specials.nodes(name)
            traffic = TrafficClass(name, None, False)
            self._last = name, special, ClassEvaluator(self.estate, traffic, self._at, self._nowhere, special)
        return self._last[1], self._last[2]

    def _of_cells(self, evaluator: ClassEvaluator, special: set[Node]) -> Iterator[tuple[int, str]]:
        """Verdicts of the cells whose messages may reach a special instance; all other cells behave as by default."""
        towards: Iterable[EquivalenceClass] = self._background.cells_towards(
            sorted(node[0] for node in special if node[1] is None)
        )
        for cell in towards:
            yield self._cell_number[cell], verdict(outcomes_of(cell, evaluator))

    def _of_cell(self, number: int) -> str:
        return self.base[self.cells[number][0]]

    def _of_nodes(
        self, evaluator: ClassEvaluator, special: set[Node], cells: Mapping[int, str]
    ) -> Iterator[tuple[int, str]]:
        for node in special:
            number = self._number.get(node)  # an msdb that the document omits decides, but is no entry point
            if number is not None:
                ends_as = verdict(evaluator.ends(evaluator.start(node)))
                if ends_as != cells.get(self._cell_of.get(number, -1), self.base[number]):
                    yield number, ends_as

    def legs(self, name: str) -> Iterator[tuple[int, frozenset[FirstHopOutcome]]]:
        """The paths from entry points that have a live route for exactly this name, by their number."""
        special, evaluator = self._evaluator_of(name)
        for node in special:
            number = self._number.get(node)
            if number is not None and routes_by_name(self.estate.instances[node[0]].tables[node[1]], name, self._at):
                yield number, frozenset(self._legs(evaluator, node))

    def _legs(self, evaluator: ClassEvaluator, node: Node) -> Iterator[FirstHopOutcome]:
        if node[1] is None and self.estate.hop_limit == 0:
            yield from (FirstHopOutcome(None, end) for end in evaluator.ends(evaluator.start(node)))
            return
        onward = evaluator.onward(node)
        yield from (FirstHopOutcome(None, end) for end in onward.ends)
        for lead in onward.leads:
            place = Position(lead.instance, None, self.estate.hop_limit - lead.forwards)
            yield from (FirstHopOutcome(lead.instance, end) for end in evaluator.ends(place))


def entry_points(estate: Estate) -> Iterator[Node]:
    """The entry points: every database, and every instance for messages from outside."""
    for instance in estate.instances.values():
        yield from ((instance.name, database) for database in instance.databases)
        yield instance.name, None


def service_names(estate: Estate) -> list[str]:
    """Every service name in services and routes, sorted."""
    names: set[str] = set()
    for instance in estate.instances.values():
        for database in instance.databases.values():
            names.update(service.name for service in database.services)
            names.update(database.table.named)
    return sorted(names)


def routes_by_name(table: RouteTable, name: str, at: datetime) -> bool:
    """Whether a route for exactly this name is in the table and has not expired."""
    named = table.named.get(name)
    return named is not None and any(not route.expired(at) for route in named.all_routes())


def settled_since(estate: Estate, at: datetime) -> datetime | None:
    """The time since which all verdicts are as at `at`: the last expiry of a route before it; None: there is none."""
    return last_until(expiries(estate), at)


def expiries(estate: Estate) -> tuple[datetime, ...]:
    """The moments at which routes expire, in order: from one until the next, all verdicts stay the same."""
    lifetimes = (
        route.lifetime
        for instance in estate.instances.values()
        for database in instance.databases.values()
        for route in database.table.routes.values()
    )
    return tuple(sorted({moment for moment in lifetimes if moment is not None}))


def last_until(moments: Sequence[datetime], at: datetime) -> datetime | None:
    """The last of ordered moments that is not after `at`; None: all are."""
    passed = bisect_right(moments, at)
    return moments[passed - 1] if passed else None

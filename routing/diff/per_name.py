"""Values that all classes of one service name share in a comparison: special nodes, the evaluators of both estates."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Set
from functools import cached_property

from routing.classes.class_evaluator import ClassEvaluator
from routing.classes.default_behaviour import EquivalenceClass
from routing.classes.forwarding_graph import any_in, leads_to
from routing.classes.traffic_class import Node, TrafficClass
from routing.diff.context import DiffContext
from routing.model.estate import Estate
from routing.model.route_table import NO_ROUTES, RouteTable


class NameContext:
    """One service name in a comparison."""

    def __init__(self, comparing: DiffContext, name: str) -> None:
        self.comparing = comparing
        self.name = name
        self.special = comparing.specials.nodes(name)
        """The nodes that may treat it differently from a name that occurs nowhere."""
        self._sending: dict[frozenset[str], Set[Node]] = {}
        self._towards: dict[frozenset[str], list[EquivalenceClass]] = {}
        self._special_in: dict[EquivalenceClass, frozenset[Node]] = {}

    @cached_property
    def evaluators(self) -> tuple[ClassEvaluator, ClassEvaluator]:
        """The evaluators of both estates for the name without an identifier."""
        traffic = TrafficClass(self.name, None, False)
        before, after = self.comparing.nowhere
        at = self.comparing.at
        return (
            ClassEvaluator(before.estate, traffic, at, before, self.special),
            ClassEvaluator(after.estate, traffic, at, after, self.special),
        )

    @cached_property
    def telling(self) -> set[Node]:
        """The special nodes where the identifier, or being a reply, may matter."""
        specials = self.comparing.specials
        if self.name in specials.principals:
            return self.special
        found = {node for node in self.special if node[1] is None}
        return found.union(specials.placed(self.name), *specials.identifying(self.name).values())

    @cached_property
    def outside(self) -> frozenset[str]:
        """The instances that are special for messages from outside."""
        return frozenset(name for name, database in self.special if database is None)

    def apart(self, identifier: str | None) -> set[Node]:
        """The special nodes that may treat an identifier unlike one that occurs nowhere, mirrored routes left aside."""
        if identifier is None:
            return self.special
        held = (self._by_instance[name] for name, _ in self.comparing.specials.holders(identifier))
        return set().union(self.comparing.specials.identifying(self.name).get(identifier, ()), *held)

    @cached_property
    def _by_instance(self) -> dict[str, list[Node]]:
        found: dict[str, list[Node]] = defaultdict(list)
        for node in self.special:
            found[node[0]].append(node)
        return found

    def cells_towards(self, goals: frozenset[str]) -> list[EquivalenceClass]:
        """The cells of the default behaviour with other nodes than special ones, from which messages may reach a goal
        or a special node."""
        found = self._towards.get(goals)
        if found is None:
            cells = self.comparing.background.cells_towards(goals | self.outside)
            found = [cell for cell in cells if len(self.special_in(cell)) < len(cell.entries)]
            self._towards[goals] = found
        return found

    def special_in(self, cell: EquivalenceClass) -> frozenset[Node]:
        """The entry points of a cell of the default behaviour that are special."""
        found = self._special_in.get(cell)
        if found is None:
            few, many = sorted((self.special, cell.entries.keys()), key=len)
            found = self._special_in[cell] = frozenset(node for node in few if node in many)
        return found

    def told_apart(self, nodes: Iterable[Node]) -> set[str]:
        """The identifiers that one of these nodes may treat unlike one that occurs nowhere."""
        specials, nodes = self.comparing.specials, set(nodes)
        found = set(specials.principal_identifiers)
        for name in {name for name, _ in nodes}:
            for estate in (self.comparing.before, self.comparing.after):
                if name in estate.instances:
                    found.update(estate.instances[name].identified)
        given = specials.identifying(self.name).items()
        found.update(identifier for identifier, giving in given if not nodes.isdisjoint(giving))
        return found

    @cached_property
    def _routed(self) -> frozenset[str]:
        """Forwarding instances with routes for the name in msdb: from there a message may go anywhere."""
        estates = (self.comparing.before, self.comparing.after)
        return frozenset(
            node[0]
            for node in self.comparing.specials.routed(self.name)
            if node[1] is None and any(self._forwards(estate, node) for estate in estates)
        )

    def _forwards(self, estate: Estate, node: Node) -> bool:
        instance = estate.instances.get(node[0])
        return instance is not None and instance.forwarding and self.name in instance.msdb.named

    def may_reach(self, goals: frozenset[str]) -> frozenset[str]:
        """The instances from which a message for the name may reach a goal."""
        return self.comparing.flow.may_reach(goals | self._routed if self._routed else goals)

    def sending(self, goals: frozenset[str]) -> Set[Node]:
        """The special entry points with a route that may lead a message towards a goal."""
        found = self._sending.get(goals)
        if found is None:
            may = self.may_reach(goals)
            found = self._sending[goals] = self.comparing.senders.among(self.special, may) | self._led(may)
        return found

    def _led(self, may: frozenset[str]) -> Set[Node]:
        """The databases with a route for the name that leads to one of these instances."""
        keys = self.comparing.specials.addresses(self.name)
        known = [key for key in keys if key is not None]
        if len(known) == len(keys) and all(
            may.isdisjoint(map(book.get, known)) for book in self.comparing.address_books
        ):
            return frozenset()
        order = self.comparing.order
        routed = (node for node in self.comparing.specials.routed(self.name) if node in order and node[1] is not None)
        return {node for node in routed if self._leads_to_any(node, may)}

    def _leads_to_any(self, node: Node, may: frozenset[str]) -> bool:
        """Whether a route of a database for the name leads to one of these instances."""
        for estate in (self.comparing.before, self.comparing.after):
            named = _table(estate, node).named.get(self.name)
            if named is not None and any_in(may, leads_to(estate, named.all_routes())):
                return True
        return False


def _table(estate: Estate, node: Node) -> RouteTable:
    """The routing table of a node; empty if the estate does not have the node."""
    instance = estate.instances.get(node[0])
    return instance.tables.get(node[1], NO_ROUTES) if instance is not None else NO_ROUTES

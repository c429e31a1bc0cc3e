"""Where a class of traffic meets something of its own: a route for its name, a database with its service.

Everywhere else a node treats it as it treats a name that occurs nowhere (`background`).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from routing.address import address_in_name
from routing.classes import Node, TrafficClass
from routing.estate import Estate, Instance
from routing.table import RouteTable


class Specials:
    """The special nodes of every class, in either of two estates. May name too many, never too few."""

    def __init__(self, before: Estate, after: Estate) -> None:
        self._by_name: dict[str, set[Node]] = defaultdict(set)
        self._by_identifier: dict[str, set[Node]] = defaultdict(set)
        self._transport: set[Node] = set()
        """Nodes with a nameless TRANSPORT route: what they do depends on the address in the name (CHOOSE-4)."""
        self._mirrored: set[Node] = set()
        """Nodes with a nameless mirrored route: what they do depends on who is the principal for the service."""
        self._principals: set[str] = set()
        for estate in (before, after):
            for instance in estate.instances.values():
                self._add(instance)

    def nodes(self, traffic: TrafficClass) -> set[Node]:
        """The nodes that may treat this class otherwise than a name that occurs nowhere."""
        service, identifier, is_reply = traffic
        found = set(self._by_name.get(service, ()))
        if self._transport and address_in_name(service) is not None:
            found |= self._transport
        if self._mirrored and service in self._principals:
            found |= self._mirrored
        if is_reply and identifier is not None:  # RT-REPLY
            found |= self._by_identifier.get(identifier, set())
        return found

    def _add(self, instance: Instance) -> None:
        for database, table in instance.tables.items():
            node = (instance.name, database)
            for name in table.named:
                self._by_name[name].add(node)
            self._add_nameless(node, table)
        nodes = [(instance.name, database) for database in instance.tables]
        for service in instance.targets:  # LOC-2, MATCH-6
            self._by_name[service].update(nodes)
        for identifier in instance.identified:
            self._by_identifier[identifier].add((instance.name, None))
        self._principals.update(instance.principals)

    def _add_nameless(self, node: Node, table: RouteTable) -> None:
        for route in table.nameless:
            if route.address.is_transport:
                self._transport.add(node)
            if route.mirror_address is not None:
                self._mirrored.add(node)


class Flow:
    """Over the routes for whatever name: which instances may hand a message to which."""

    def __init__(self, before: Estate, after: Estate) -> None:
        self._into: dict[str, set[str]] = defaultdict(set)
        self._out_of: dict[str, set[str | None]] = defaultdict(set)
        """None stands for an address of no instance."""
        self._reach: dict[frozenset[str], frozenset[str]] = {}
        for estate in (before, after):
            for name, instance in estate.instances.items():
                for target in _forwards_to(estate, instance):
                    self._out_of[name].add(target)
                    if target is not None:
                        self._into[target].add(name)

    def may_reach(self, goals: frozenset[str]) -> frozenset[str]:
        """The instances from which a message may come to one of the goals, these among them."""
        found = self._reach.get(goals)
        if found is None:
            reached, todo = set(goals), list(goals)
            for goal in todo:
                new = self._into[goal] - reached
                reached |= new
                todo += new
            found = self._reach[goals] = frozenset(reached)
        return found

    def forwarding_more_than(self, hops: int) -> frozenset[str]:
        """The instances from which a message may be forwarded more often than this."""
        able: set[str | None] = {None, *self._into, *self._out_of}
        for _ in range(hops + 1):
            able = {name for name, targets in self._out_of.items() if not able.isdisjoint(targets)}
        return frozenset(name for name in able if name is not None)


def _forwards_to(estate: Estate, instance: Instance) -> Iterator[str | None]:
    if not instance.forwarding:
        return
    for route in instance.msdb.routes.values():
        if route.address.is_transport:
            yield from (*estate.instances, None)
        for address in (route.address, route.mirror_address):
            if address is not None and address.is_network:
                yield estate.by_address.get(address.key)

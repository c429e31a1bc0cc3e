"""Finds the special nodes of a service name: those with a route for it, or on an instance with the service.

Every other node treats the name like one that occurs nowhere (`default_behaviour`).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Set
from copy import copy

from routing.classes.traffic_class import Node, TrafficClass
from routing.model.address import address_in_name
from routing.model.estate import Estate, Instance
from routing.model.route_table import NamedRoutes, RouteTable

_NONE: frozenset[Node] = frozenset()


class NameIndex:
    """The special nodes of some service names in two estates. May return too many nodes, never too few."""

    def __init__(self, before: Estate, after: Estate, names: Set[str]) -> None:
        self._names = names
        self._routed: dict[str, set[Node]] = defaultdict(set)
        """By name: the nodes with a route for it."""
        self._placed: dict[str, set[Node]] = defaultdict(set)
        """By name: the nodes of instances with the service."""
        self._by_identifier: dict[str, set[Node]] = defaultdict(set)
        self._identifying: dict[str, dict[str, set[Node]]] = {}
        """By name and identifier: the nodes with a route that gives both."""
        self._addresses: dict[str, set[str | None]] = defaultdict(set)
        """By name: the keys of the addresses that routes for it give; None: an address that the name itself holds."""
        self._transport: set[Node] = set()
        """Nodes with a TRANSPORT route without a name: they read the address in the service name (CHOOSE-4)."""
        self._mirrored: set[Node] = set()
        """Nodes with a mirrored route without a name: they depend on the principal for the service."""
        self.principals: set[str] = set()
        self.principal_identifiers: set[str] = set()
        """Those of all databases in the role PRINCIPAL: a mirrored route may depend on them."""
        for estate in (before, after):
            for instance in estate.instances.values():
                self._add(instance)

    def with_instances(self, changed: Iterable[Instance], names: Set[str]) -> NameIndex:
        """A copy for these names that also has a second estate, which differs from the first in these instances."""
        changed = tuple(changed)
        new = copy(self)
        new._names = names
        new._routed, new._placed = _own(self._routed), _own(self._placed)
        new._by_identifier = _own(self._by_identifier)
        new._identifying, new._addresses = dict(self._identifying), defaultdict(set, self._addresses)
        for name in {name for one in changed for name in new._named_in(one)}:
            new._routed[name], new._placed[name] = set(self.routed(name)), set(self.placed(name))
            new._addresses[name] = set(self.addresses(name))
            if name in self._identifying:
                new._identifying[name] = {key: set(nodes) for key, nodes in self._identifying[name].items()}
        for identifier in {identifier for one in changed for identifier in one.identified}:
            new._by_identifier[identifier] = set(self._by_identifier.get(identifier, ()))
        for part in ("_transport", "_mirrored", "principals", "principal_identifiers"):
            setattr(new, part, set(getattr(self, part)))
        for instance in changed:
            new._add(instance)
        return new

    def nodes(self, service: str) -> set[Node]:
        """The nodes that may treat this service differently from a name that occurs nowhere."""
        found = {*self.routed(service), *self.placed(service)}
        if self._transport and address_in_name(service) is not None:
            found |= self._transport
        if self._mirrored and service in self.principals:
            found |= self._mirrored
        return found

    def routed(self, service: str) -> Set[Node]:
        """The nodes that may have a route for exactly this name."""
        return self._routed.get(service, _NONE)

    def placed(self, service: str) -> Set[Node]:
        """The nodes of instances with this service."""
        return self._placed.get(service, _NONE)

    def identifying(self, service: str) -> Mapping[str, Set[Node]]:
        """By identifier: the nodes that may have a route for exactly this name that gives it."""
        return self._identifying.get(service, {})

    def addresses(self, service: str) -> Set[str | None]:
        """The keys of the addresses that routes for exactly this name may give; None: any address."""
        return self._addresses.get(service, frozenset())

    def replying(self, traffic: TrafficClass) -> Set[Node]:
        """The nodes that may treat a reply differently: instances with a database of its identifier (RT-REPLY)."""
        if not traffic.is_reply or traffic.to_broker_instance is None:
            return _NONE
        return self.holders(traffic.to_broker_instance)

    def holders(self, identifier: str) -> Set[Node]:
        """The instances, as nodes, that have a database with this identifier."""
        return self._by_identifier.get(identifier, _NONE)

    def _add(self, instance: Instance) -> None:
        for database, table in instance.tables.items():
            node = (instance.name, database)
            for name in self._among(table.named):
                self._routed[name].add(node)
                self._add_routes(node, name, table.named[name])
            self._add_nameless(node, table)
        nodes = [(instance.name, database) for database in instance.tables]
        for service in self._among(instance.targets):  # LOC-2, MATCH-6
            self._placed[service].update(nodes)
        for identifier in instance.identified:
            self._by_identifier[identifier].add((instance.name, None))
        self.principals.update(instance.principals)
        held = (database for databases in instance.principals.values() for database in databases)
        self.principal_identifiers.update(one.broker_instance for one in held if one.broker_instance is not None)

    def _add_routes(self, node: Node, name: str, routes: NamedRoutes) -> None:
        for identifier in routes.by_identifier:
            self._identifying.setdefault(name, {}).setdefault(identifier, set()).add(node)
        addresses = self._addresses[name]
        for route in routes.all_routes():
            if route.address.is_transport:
                addresses.add(None)
            addresses.update(one.key for one in (route.address, route.mirror_address) if one and one.is_network)

    def _named_in(self, instance: Instance) -> Iterator[str]:
        for table in instance.tables.values():
            yield from self._among(table.named)
        yield from self._among(instance.targets)

    def _among(self, known: Mapping[str, object]) -> Iterable[str]:
        """The wanted names that are known; iterates over the smaller set."""
        if len(self._names) < len(known):
            return [name for name in self._names if name in known]
        return [name for name in known if name in self._names]

    def _add_nameless(self, node: Node, table: RouteTable) -> None:
        for route in table.nameless:
            if route.address.is_transport:
                self._transport.add(node)
            if route.mirror_address is not None:
                self._mirrored.add(node)


def _own(index: dict[str, set[Node]]) -> dict[str, set[Node]]:
    """A copy that shares the sets."""
    return defaultdict(set, index)

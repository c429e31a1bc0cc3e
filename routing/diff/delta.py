"""Finds the nodes that may decide differently after a change, by service name and by identifier.

A node is an entry point: a database that begins conversations, or an instance that is reached from outside. The result
may name too many nodes, never too few; the caller compares the decision of each node before and after.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from routing.classes.traffic_class import Node, Vocabulary
from routing.common.names import DYNAMIC_ROUTING_SERVICE
from routing.model.address import address_in_name
from routing.model.estate import Database, Estate, Instance
from routing.model.route import Route
from routing.model.route_table import RouteTable


@dataclass(slots=True)
class Delta:
    """The nodes that may decide differently."""

    by_name: dict[str, set[Node]] = field(default_factory=lambda: defaultdict(set))
    """For conversations to this service."""
    by_identifier: dict[str, set[Node]] = field(default_factory=lambda: defaultdict(set))
    """For conversations that give this identifier, whatever the service."""
    always: set[Node] = field(default_factory=set)
    """For conversations to any service."""
    one_sided: frozenset[Node] = frozenset()
    """Entry points that only one of the estates has."""

    def nodes(self, service: str, identifier: str | None) -> set[Node]:
        """The nodes that may decide differently for one class of traffic."""
        found = self.always | self.by_name.get(service, set())
        return found | self.by_identifier.get(identifier, set()) if identifier is not None else found


def delta(before: Estate, after: Estate, vocabulary: Vocabulary) -> Delta:
    """Compare two estates part by part; skips parts that they share as objects."""
    found = Delta()
    claims: dict[str, set[str]] = {}
    for name, old in before.instances.items():
        new = after.instances.get(name)
        if new is not None and new is not old:
            _instance(found, old, new)
            claims[name] = _differing(_claims(old), _claims(new))
    _addresses(found, before, after, vocabulary)
    _principals(found, before, after, {name: services for name, services in claims.items() if services})
    found.one_sided = frozenset(_one_sided(before, after))
    return found


def _one_sided(before: Estate, after: Estate) -> Iterator[Node]:
    for name in before.instances.keys() | after.instances.keys():
        old, new = before.instances.get(name), after.instances.get(name)
        if old is not new:
            yield from _nodes(name, old) ^ _nodes(name, new)


def _nodes(name: str, instance: Instance | None) -> set[Node]:
    return set() if instance is None else {(name, None), *((name, database) for database in instance.databases)}


def _instance(found: Delta, old: Instance, new: Instance) -> None:
    for database in old.tables.keys() & new.tables.keys():
        _table(found, (old.name, database), old.tables[database], new.tables[database])
    if old.forwarding != new.forwarding:  # CHOOSE-FWD
        found.always.add((old.name, None))
    if old.databases == new.databases:
        return
    nodes = {(old.name, database) for database in old.tables.keys() & new.tables.keys()}
    for service in _differing(_targets(old), _targets(new)):  # LOC-2, MATCH-6
        found.by_name[service] |= nodes
    changed = _differing(_identified(old), _identified(new))  # LOC-1, RT-REPLY
    for identifier in changed:
        found.by_identifier[identifier] |= nodes
    for service in _routed_by(changed, old, new):
        found.by_name[service] |= nodes


def _table(found: Delta, node: Node, old: RouteTable, new: RouteTable) -> None:
    if old is new or old == new:
        return
    names = {r.remote_service_name for r in set(old.routes.values()) ^ set(new.routes.values())}
    for name in names:
        # MATCH-4 and MATCH-5 decide for all names without a route of their own.
        if name is None or name == DYNAMIC_ROUTING_SERVICE:
            found.always.add(node)
        if name is not None:
            found.by_name[name].add(node)


def _targets(instance: Instance) -> dict[str, object]:
    return {service: [d.name for d in databases] for service, databases in instance.targets.items()}


def _identified(instance: Instance) -> dict[str, object]:
    return {identifier: (database.name, _services(database)) for identifier, database in instance.identified.items()}


def _services(database: Database) -> object:
    return database.can_be_target and frozenset(service.name for service in database.services)


def _claims(instance: Instance) -> dict[str, object]:
    return {
        service: {(database.name, database.broker_instance) for database in databases}
        for service, databases in instance.principals.items()
    }


def _differing(old: dict[str, object], new: dict[str, object]) -> set[str]:
    return {key for key in old.keys() | new.keys() if old.get(key) != new.get(key)}


def _routed_by(identifiers: set[str], *instances: Instance) -> set[str]:
    """The services for which a route of these instances gives one of these identifiers."""
    return {
        name
        for instance in instances
        for table in instance.tables.values()
        for name, routes in table.named.items()
        if identifiers and not identifiers.isdisjoint(routes.by_identifier)
    }


def _addresses(found: Delta, before: Estate, after: Estate, vocabulary: Vocabulary) -> None:
    """Add the routes whose address leads to another instance than before, or begins or ceases to lead to one."""
    if before.by_address is after.by_address:
        return
    changed = {
        key
        for key in before.by_address.keys() | after.by_address.keys()
        if before.by_address.get(key) != after.by_address.get(key)
    }
    if not changed:
        return
    held = {name for name in vocabulary.identifiers if (a := address_in_name(name)) and a.key in changed}
    for node, route in _routes(before, after):
        if route.address.is_transport:
            for name in held:
                found.by_name[name].add(node)
        elif not changed.isdisjoint(_leads_to(route)):
            _may_differ(found, node, route)


def _principals(found: Delta, before: Estate, after: Estate, claims: dict[str, set[str]]) -> None:
    """Add the mirrored routes to an instance where a database took or gave up the role PRINCIPAL (MIR)."""
    if not claims:
        return
    for node, route in _routes(before, after):
        if route.mirror_address is None:
            continue
        partners = {e.by_address.get(key) for e in (before, after) for key in _leads_to(route)}
        for name in {service for partner in partners for service in claims.get(partner or "", ())}:
            if route.remote_service_name in (None, name):
                found.by_name[name].add(node)


def _may_differ(found: Delta, node: Node, route: Route) -> None:
    if route.remote_service_name is None:
        found.always.add(node)
    else:
        found.by_name[route.remote_service_name].add(node)


def _routes(*estates: Estate) -> Iterator[tuple[Node, Route]]:
    for estate in estates:
        for instance in estate.instances.values():
            for database, table in instance.tables.items():
                for route in table.routes.values():
                    yield (instance.name, database), route


def _leads_to(route: Route) -> Iterable[str]:
    return (route.address.key,) if route.mirror_address is None else (route.address.key, route.mirror_address.key)

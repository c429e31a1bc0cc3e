"""Content of the panel beside the map, about the selected thing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from itertools import islice

from brokerui.estate.refs import (
    BETWEEN,
    DATABASE,
    GROUP,
    INSTANCE,
    OUTSIDE,
    ROUTE,
    Listed,
    Ref,
    database,
    instance_ref,
    outside,
    read_ref,
    route,
)
from brokerui.pages.map.network import RouteNetwork
from brokerui.pages.map.plan import MapBox
from routing.model.estate import Database, Instance
from routing.model.route import Route

MAX_LISTED = 30
"""Things of one kind that are listed; further ones are counted."""


@dataclass(frozen=True, slots=True)
class RouteLine:
    """A route of a table, as a panel shows it."""

    ref: Ref
    route: Route
    places: tuple[Ref, ...]
    expired: bool


@dataclass(frozen=True, slots=True)
class InstancePanel:
    ref: Ref
    instance: Instance
    databases: Listed
    leads_to: Listed
    led_from: Listed
    routes: int


@dataclass(frozen=True, slots=True)
class DatabasePanel:
    ref: Ref
    instance: Instance
    database: Database
    services: tuple[str, ...]
    more_services: int
    routes: tuple[RouteLine, ...]
    more_routes: int


@dataclass(frozen=True, slots=True)
class RoutePanel:
    ref: Ref
    line: RouteLine
    alike: Listed
    """Others of the same table that lead to the same places."""


@dataclass(frozen=True, slots=True)
class OutsidePanel:
    ref: Ref
    addresses: Listed
    led_from: Listed


@dataclass(frozen=True, slots=True)
class BetweenPanel:
    ref: Ref
    source: Ref
    target: Ref
    routes: tuple[RouteLine, ...]
    count: int

    @property
    def more_routes(self) -> int:
        return self.count - len(self.routes)


@dataclass(frozen=True, slots=True)
class GroupPanel:
    ref: Ref
    instances: Listed


Panel = InstancePanel | DatabasePanel | RoutePanel | OutsidePanel | BetweenPanel | GroupPanel


def panel_of(network: RouteNetwork, ref: Ref, at: datetime, boxes: Mapping[Ref, MapBox]) -> Panel | None:
    """The panel of a thing; None if the estate has no such thing. `boxes` of the map resolve groups and sums."""
    if ref.kind == GROUP:
        return _group(ref, boxes)
    if ref.kind == BETWEEN:
        return _between(network, ref, at, boxes)
    return _PANELS[ref.kind](network, ref, at)


def _instance(network: RouteNetwork, ref: Ref, at: datetime) -> InstancePanel | None:
    instance = network.estate.instances.get(ref.name)
    if instance is None:
        return None
    sums = network.sums[ref.name]
    return InstancePanel(
        ref,
        instance,
        _listed(database(ref.name, name) for name in instance.databases),
        _listed(sums.flows),
        _listed(instance_ref(name) for name in network.callers.get(ref, ())),
        sums.routes,
    )


def _database(network: RouteNetwork, ref: Ref, at: datetime) -> DatabasePanel | None:
    instance = network.estate.instances.get(ref.names[0])
    one = instance.databases.get(ref.name) if instance else None
    if instance is None or one is None:
        return None
    services = sorted(service.name for service in one.user_services)
    lines = [
        _line(network, ref.names[0], ref.name, found, at) for found in islice(one.table.routes.values(), MAX_LISTED)
    ]
    more = len(one.table) - len(lines)
    return DatabasePanel(
        ref, instance, one, tuple(services[:MAX_LISTED]), max(0, len(services) - MAX_LISTED), tuple(lines), more
    )


def _route(network: RouteNetwork, ref: Ref, at: datetime) -> RoutePanel | None:
    instance, table, name = ref.names
    of = _database(network, database(instance, table), at)
    found = of.database.table.routes.get(name) if of else None
    if of is None or found is None:
        return None
    line = _line(network, instance, table, found, at)
    others = (one for one in of.database.table.routes.values() if one.name != name)
    alike = (one for one in others if line.places and network.places(one) == line.places)
    return RoutePanel(ref, line, _listed(route(instance, table, one.name) for one in alike))


def _outside(network: RouteNetwork, ref: Ref, at: datetime) -> OutsidePanel | None:
    addresses = [outside(ref.name)] if ref.name else network.addresses
    if not all(address in network.callers for address in addresses):
        return None
    callers = dict.fromkeys(name for address in addresses for name in network.callers[address])
    return OutsidePanel(ref, _listed(addresses), _listed(map(instance_ref, callers)))


def _between(network: RouteNetwork, ref: Ref, at: datetime, boxes: Mapping[Ref, MapBox]) -> BetweenPanel | None:
    source, target = (read_ref(name) for name in ref.names)
    if source is None or target is None or not {source, target} <= boxes.keys():
        return None
    found = list(_routes_between(network, boxes[source].about, boxes[target].about))
    lines = tuple(_line(network, *one, at) for one in found[:MAX_LISTED])
    return BetweenPanel(ref, source, target, lines, len(found))


def _routes_between(
    network: RouteNetwork, sources: frozenset[Ref], targets: frozenset[Ref]
) -> Iterator[tuple[str, str, Route]]:
    for name, instance in network.estate.instances.items():
        if instance_ref(name) not in sources or targets.isdisjoint(network.sums[name].flows):
            continue
        for one in instance.databases.values():
            for found in one.table.routes.values():
                if not targets.isdisjoint(network.places(found)):
                    yield name, one.name, found


def _group(ref: Ref, boxes: Mapping[Ref, MapBox]) -> GroupPanel | None:
    return GroupPanel(ref, _listed(sorted(boxes[ref].about))) if ref in boxes else None


def _line(network: RouteNetwork, instance: str, table: str, found: Route, at: datetime) -> RouteLine:
    return RouteLine(route(instance, table, found.name), found, network.places(found), found.expired(at))


def _listed(found: Iterable[Ref]) -> Listed:
    refs = list(found)
    return Listed(tuple(refs[:MAX_LISTED]), len(refs))


_PANELS = {
    INSTANCE: _instance,
    DATABASE: _database,
    ROUTE: _route,
    OUTSIDE: _outside,
}

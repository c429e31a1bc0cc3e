"""Finding instances, databases, services, routes and addresses by a part of their names."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice

from brokerui.analysis.explanations.origin import ON
from brokerui.estate.refs import Listed, Ref, database, instance_ref, route
from brokerui.pages.map.network import RouteNetwork

MAX_HITS = 10
MAX_HIGHLIGHTED = 1000
"""Things that are highlighted at most."""


@dataclass(frozen=True, slots=True)
class SearchHits:
    """Things whose names hold a text."""

    instances: Listed
    databases: Listed
    services: tuple[str, ...]
    service_count: int
    routes: Listed
    addresses: Listed
    lit: frozenset[Ref]
    """All things found, as the map names them."""

    @property
    def count(self) -> int:
        kinds = (self.instances, self.databases, self.routes, self.addresses)
        return self.service_count + sum(hits.count for hits in kinds)


def found(network: RouteNetwork, text: str) -> SearchHits:
    """Find the things whose names hold this text, in upper or lower case."""
    wanted = text.casefold()
    estate = network.estate
    instances = [
        instance_ref(name) for name, one in estate.instances.items() if _instance_has(name, one.addresses, wanted)
    ]
    databases = [database(*table) for table in _tables(network) if wanted in table[1].casefold() or _is(wanted, *table)]
    services = sorted(name for name in {*network.homes, *network.routed} if wanted in name.casefold())
    named = list(_routes(network, wanted))
    routes = [route(*names) for names in named[:MAX_HIGHLIGHTED]]
    addresses = [place for place in network.addresses if wanted in place.name]
    homes = [database(*table) for name in services for table in network.homes.get(name, ())]
    lit = islice([*instances, *databases, *homes, *addresses, *routes], MAX_HIGHLIGHTED)
    return SearchHits(
        _hits(instances),
        _hits(databases),
        tuple(services[:MAX_HITS]),
        len(services),
        Listed(tuple(routes[:MAX_HITS]), len(named)),
        _hits(addresses),
        frozenset(lit),
    )


def highlighted_by_service(network: RouteNetwork, service: str, *, with_routes: bool) -> frozenset[Ref]:
    """The databases with a service, and the routes for it."""
    homes = {database(*table) for table in network.homes.get(service, ())}
    if not with_routes:
        return frozenset(homes)
    named = {
        route(instance, name, one.name)
        for instance, name in network.routed.get(service, ())
        for one in network.estate.instances[instance].databases[name].table.named[service].all_routes()
    }
    return frozenset(homes | named)


def _hits(found: list[Ref]) -> Listed:
    return Listed(tuple(found[:MAX_HITS]), len(found))


def _instance_has(name: str, addresses: Iterable[object], wanted: str) -> bool:
    return wanted in name.casefold() or any(wanted in str(address).casefold() for address in addresses)


def _tables(network: RouteNetwork) -> Iterator[tuple[str, str]]:
    for instance in network.estate.instances.values():
        yield from ((instance.name, name) for name in instance.databases)


def _routes(network: RouteNetwork, wanted: str) -> Iterator[tuple[str, str, str]]:
    for instance, name in _tables(network):
        table = network.estate.instances[instance].databases[name].table
        own = (one for one in table.routes if wanted in one.casefold() or _is(wanted, instance, name, one))
        yield from ((instance, name, one) for one in own)


def _is(wanted: str, instance: str, *names: str) -> bool:
    """Whether it is the whole place, as findings and commands name it, or a database as answers do."""
    if "/" in wanted:
        return wanted == "/".join((instance, *names)).casefold()
    return ON in wanted and wanted == f"{names[-1]}{ON}{instance}".casefold()

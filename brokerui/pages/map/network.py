"""Connections between the instances of an estate: where routes lead, added up once for each version."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from brokerui.core.cache import LruCache
from brokerui.estate.refs import INSTANCE, OUTSIDE, Ref, instance_ref, outside
from routing.common.gc_control import gc_paused
from routing.model.address import Address
from routing.model.estate import Estate, Instance
from routing.model.route import Route

CACHE_SIZE = 4
Table = tuple[str, str]
"""An instance and a database."""


@dataclass(slots=True)
class PlaceCounts:
    """The routes of one instance that lead to one place."""

    routes: int = 0
    mirrors: int = 0
    """Routes whose mirror address leads there."""


@dataclass(slots=True)
class InstanceCounts:
    """The routes of one instance."""

    flows: dict[Ref, PlaceCounts] = field(default_factory=dict)
    local: int = 0
    transport: int = 0
    lines: int = 0
    """Lines that they take when each table is drawn by itself."""

    def flow(self, place: Ref) -> PlaceCounts:
        found = self.flows.get(place)
        if found is None:
            found = self.flows[place] = PlaceCounts()
        return found

    @property
    def routes(self) -> int:
        """Each route once."""
        return self.local + self.transport + sum(flow.routes for flow in self.flows.values())


def place_of(estate: Estate, address: Address) -> Ref:
    """The instance or the address outside to which a network address leads."""
    name = estate.resolve(address)
    return outside(address.key) if name is None else instance_ref(name)


class RouteNetwork:
    """An estate with its routes added up by instance, and found by service."""

    def __init__(self, estate: Estate, before: RouteNetwork | None = None) -> None:
        """`before`: the network of an estate that may share instances with this one, such as the version before."""
        self.estate = estate
        self._before = before if before and before.estate.by_address == estate.by_address else None
        self._places: dict[str, Ref] = {}
        self.routed: dict[str, list[Table]] = defaultdict(list)
        """By service: the tables with routes for it."""
        self.homes: dict[str, list[Table]] = defaultdict(list)
        """By service: the databases that have it."""
        self.callers: dict[Ref, dict[str, None]] = defaultdict(dict)
        """By place: the instances with routes there."""
        self.sums = {name: self._summed(instance) for name, instance in estate.instances.items()}
        self._before = None
        self.databases = sum(len(instance.databases) for instance in estate.instances.values())
        self.routes = sum(sums.routes for sums in self.sums.values())

    @property
    def addresses(self) -> list[Ref]:
        """Addresses of no instance, in the order in which routes name them."""
        return [place for place in self.callers if place.kind == OUTSIDE]

    @property
    def elements(self) -> int:
        """Return the number of elements in a map of everything."""
        lines = sum(sums.lines for sums in self.sums.values())
        return len(self.estate.instances) + self.databases + len(self.addresses) + lines

    def place(self, address: Address) -> Ref:
        """The instance or the address outside to which a network address leads."""
        key = address.key
        place = self._places.get(key)
        if place is None:
            place = self._places[key] = place_of(self.estate, address)
        return place

    def places(self, route: Route) -> tuple[Ref, ...]:
        """Where a route leads: two places with a mirror, none where no network address says it."""
        return self._both(route.address, route.mirror_address) if route.address.is_network else ()

    def _both(self, address: Address, mirror: Address | None) -> tuple[Ref, ...]:
        first = self.place(address)
        if mirror is None:
            return (first,)
        second = self.place(mirror)
        return (first,) if first == second else (first, second)

    def onward(self, name: str) -> int:
        """The routes of an instance that lead to an address."""
        return sum(flow.routes for flow in self.sums[name].flows.values())

    def neighbours(self, name: str) -> Iterator[str]:
        """The instances with routes to or from this one, each once."""
        onward = (place.name for place in self.sums[name].flows if place.kind == INSTANCE)
        yield from dict.fromkeys([*onward, *self.callers.get(instance_ref(name), ())])

    def add(self, sums: InstanceCounts, routes: Iterable[Route]) -> None:
        """Add the routes of one table to the counts of its instance."""
        # Most routes of a table share few addresses: they are counted first, and looked at once.
        alike = Counter((r.remote_service_name is None, r.address, r.mirror_address) for r in routes)
        ways: set[tuple[bool, tuple[Ref, ...]]] = set()
        for (is_any, address, mirror), count in alike.items():
            if address.is_local:
                sums.local += count
            elif address.is_transport:
                sums.transport += count
            else:
                places = self._both(address, mirror)
                ways.add((is_any, places))
                sums.flow(places[0]).routes += count
                for other in places[1:]:
                    sums.flow(other).mirrors += count
        sums.lines += sum(len(places) for _, places in ways)

    def _summed(self, instance: Instance) -> InstanceCounts:
        for name, database in instance.databases.items():
            table = instance.name, name
            for service in database.services:
                self.homes[service.name].append(table)
            for service_name in database.table.named:
                self.routed[service_name].append(table)
        sums = self._known(instance) or self._added(instance)
        for place in sums.flows:
            self.callers[place][instance.name] = None
        return sums

    def _known(self, instance: Instance) -> InstanceCounts | None:
        """The counts of the network before, if the instance has not changed since."""
        before = self._before
        same = before is not None and before.estate.instances.get(instance.name) is instance
        return before.sums[instance.name] if before and same else None

    def _added(self, instance: Instance) -> InstanceCounts:
        sums = InstanceCounts()
        for database in instance.databases.values():
            self.add(sums, database.table.routes.values())
        return sums


_networks: LruCache[RouteNetwork] = LruCache(CACHE_SIZE)


def network_of(key: str, estate: Estate) -> RouteNetwork:
    """The network of an estate, cached under the key of its content."""
    return _networks.get_or_make((key, id(estate)), lambda: _network(estate))


def _network(estate: Estate) -> RouteNetwork:
    with gc_paused():
        return RouteNetwork(estate, _networks.newest())

"""The part of an estate that a map shows: all of it, an instance and those around it, a group, or one service."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from brokerui.estate.refs import INSTANCE, Ref
from brokerui.pages.map.network import RouteNetwork
from routing.model.route import Route

HOPS = (1, 2, 3)


@dataclass(frozen=True, slots=True)
class Scope:
    """Instances, and the routes between them that are drawn."""

    instances: tuple[str, ...]
    """In the order of the estate."""
    distance: Mapping[str, int] | None = None
    """From the instance in the middle, where there is one."""
    hops: int = 0
    focus: str = ""
    service: str | None = None
    """Only routes for this service are drawn."""
    _known: frozenset[str] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_known", frozenset(self.instances))

    def __contains__(self, name: str) -> bool:
        return name in self._known

    def draws(self, source: str, place: Ref) -> bool:
        """Whether routes from this instance to this place are drawn."""
        if place.kind != INSTANCE:
            return self.distance is None or self.distance[source] < self.hops
        if place.name not in self._known:
            return False
        return self.distance is None or min(self.distance[source], self.distance[place.name]) < self.hops

    def keeps(self, route: Route) -> bool:
        """Whether the map shows a route."""
        return self.service is None or route.remote_service_name == self.service


def everything(network: RouteNetwork) -> Scope:
    return Scope(tuple(network.estate.instances))


def around(network: RouteNetwork, name: str, hops: int) -> Scope:
    """The instances at most `hops` routes away from one, in either direction, and the routes between them."""
    distance = {name: 0}
    edge: Iterable[str] = [name]
    for far in range(1, hops + 1):
        new = dict.fromkeys(other for one in edge for other in network.neighbours(one) if other not in distance)
        distance.update((other, far) for other in new)
        edge = new
    return Scope(_ordered(network, distance), distance, hops, focus=name)


def named_between(scope: Scope, first: str, last: str) -> Scope:
    """The scope without instances whose names stand outside of `first` to `last`; the focus stays."""
    kept = (name for name in scope.instances if first <= name <= last or name == scope.focus)
    return replace(scope, instances=tuple(kept))


def concerning(network: RouteNetwork, service: str) -> Scope:
    """The instances that have a service or routes for it, and those to which these lead."""
    tables = network.routed.get(service, [])
    found = {instance for instance, _ in [*tables, *network.homes.get(service, [])]}
    for instance, name in tables:
        for route in network.estate.instances[instance].databases[name].table.named[service].all_routes():
            found.update(place.name for place in network.places(route) if place.kind == INSTANCE)
    return Scope(_ordered(network, found), service=service)


def _ordered(network: RouteNetwork, names: Iterable[str]) -> tuple[str, ...]:
    known = set(names)
    return tuple(name for name in network.estate.instances if name in known)

"""Upstream and downstream of a thing on the map: all that can reach it by routes, and all that it reaches.

Messages that come to an instance from outside are led on by the routes of its msdb, and only where it forwards.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from typing import Final

from brokerui.estate.refs import DATABASE, INSTANCE, ROUTE, Ref, database, instance_ref, outside, route
from brokerui.pages.map.network import RouteNetwork
from routing.common.names import MSDB
from routing.common.sentence import Sentence, say, say_counted
from routing.model.estate import Database, Instance
from routing.model.route import Route

UP: Final = "up"
DOWN: Final = "down"
Arrived = tuple[str, str | None]
"""An instance to which messages come, and the service that they are for; None: any."""
Placed = tuple[Instance, Database, Route]


def reached(network: RouteNetwork, ref: Ref, direction: str) -> frozenset[Ref]:
    """Return a thing with all that can reach it (UP), or all that it reaches (DOWN)."""
    return _Upstream(network).of(ref) if direction == UP else _Downstream(network).of(ref)


def reach_in_words(refs: Iterable[Ref], direction: str) -> Sentence:
    """Say how many things are up or down the routes, the one that was asked about among them."""
    counts = Counter(ref.kind for ref in refs)
    parts = {
        "instances": say_counted(counts[INSTANCE], "one instance", "{count} instances"),
        "databases": say_counted(counts[DATABASE], "one database", "{count} databases"),
        "routes": say_counted(counts[ROUTE], "one route", "{count} routes"),
    }
    if direction == UP:
        return say("Upstream: {instances}, {databases}, {routes}", **parts)
    return say("Downstream: {instances}, {databases}, {routes}", **parts)


def _matching(found: Database | None, service: str | None) -> Iterator[Route]:
    """Yield the routes of a table for a service; all of them where it may be any."""
    if found is None:
        return
    if service is None:
        yield from found.table.routes.values()
        return
    named = found.table.named.get(service)
    yield from named.all_routes() if named is not None else ()
    yield from found.table.nameless


class _Reach:
    """The things found, and the places from which to look on."""

    def __init__(self, network: RouteNetwork) -> None:
        self.network = network
        self.instances = network.estate.instances
        self.found: set[Ref] = set()
        self.seen: set[Arrived] = set()
        self.todo: list[Arrived] = []

    def light(self, instance: Instance, one: Database, found: Route) -> None:
        here = database(instance.name, one.name)
        self.found |= {instance_ref(instance.name), here, route(instance.name, one.name, found.name)}

    def come(self, instance: str, service: str | None) -> None:
        if (instance, service) not in self.seen and (instance, None) not in self.seen:
            self.seen.add((instance, service))
            self.todo.append((instance, service))

    def place(self, ref: Ref) -> tuple[Instance | None, Database | None]:
        instance = self.instances.get(ref.names[0])
        one = instance.databases.get(ref.names[1]) if instance is not None and len(ref.names) > 1 else None
        return instance, one


class _Downstream(_Reach):
    def of(self, ref: Ref) -> frozenset[Ref]:
        self.found.add(ref)
        instance, one = self.place(ref)
        if instance is None:
            return frozenset(self.found)
        for source in (one,) if one is not None else instance.databases.values():
            for found in source.table.routes.values():
                if ref.kind != ROUTE or found.name == ref.name:
                    self._take(instance, source, found, None)
        while self.todo:
            self._arrive(*self.todo.pop())
        return frozenset(self.found)

    def _take(self, instance: Instance, one: Database, found: Route, service: str | None) -> None:
        self.light(instance, one, found)
        wanted = service if service is not None else found.remote_service_name
        if found.address.is_local:
            self._deliver(instance, wanted)
        for place in self.network.places(found):
            self.found.add(place)
            if place.kind == INSTANCE:
                self.come(place.name, wanted)

    def _arrive(self, name: str, service: str | None) -> None:
        instance = self.instances[name]
        self._deliver(instance, service)
        msdb = instance.databases.get(MSDB)
        for found in _matching(msdb, service):
            if msdb is not None and (instance.forwarding or found.address.is_local):
                self._take(instance, msdb, found, service)

    def _deliver(self, instance: Instance, service: str | None) -> None:
        for one in instance.databases.values():
            if any(service in (None, has.name) for has in one.user_services):
                self.found.add(database(instance.name, one.name))


class _Upstream(_Reach):
    def __init__(self, network: RouteNetwork) -> None:
        super().__init__(network)
        self.into: dict[Ref, list[Placed]] = defaultdict(list)
        """By place: the routes that lead there over the network."""
        self.local: dict[str, list[Placed]] = defaultdict(list)
        """By instance: its LOCAL routes, which lead to its own databases and no further."""
        for instance in self.instances.values():
            for one in instance.databases.values():
                for found in one.table.routes.values():
                    if found.address.is_local:
                        self.local[instance.name].append((instance, one, found))
                    for place in network.places(found):
                        self.into[place].append((instance, one, found))

    def of(self, ref: Ref) -> frozenset[Ref]:
        self.found.add(ref)
        instance, one = self.place(ref)
        if instance is None:
            self._come_by(self.into[outside(ref.name)], None)
        elif one is None:
            self.come(instance.name, None)
        else:
            self.found |= {instance_ref(instance.name), database(instance.name, one.name)}
            for service in self._wanted(ref, one):
                self.come(instance.name, service)
                if one.name != MSDB:
                    self._come_by(self.local[instance.name], service)
        while self.todo:
            name, service = self.todo.pop()
            self._come_by(self.into[instance_ref(name)], service)
        return frozenset(self.found)

    def _wanted(self, ref: Ref, one: Database) -> list[str | None]:
        """The services whose messages come to a database or a route from elsewhere."""
        if ref.kind == ROUTE:
            found = one.table.routes.get(ref.name)
            return [found.remote_service_name] if found is not None and one.name == MSDB else []
        return [None] if one.name == MSDB else [service.name for service in one.user_services]

    def _come_by(self, routes: Iterable[Placed], service: str | None) -> None:
        for instance, one, found in routes:
            if service is not None and found.remote_service_name not in (None, service):
                continue
            self.light(instance, one, found)
            if one.name == MSDB and instance.forwarding and not found.address.is_local:
                self.come(instance.name, service if service is not None else found.remote_service_name)

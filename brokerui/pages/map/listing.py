"""The map as a table: one row for each database, with the places to which its routes lead."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from itertools import islice

from brokerui.core.csv import MomentColumn, csv_lines
from brokerui.estate.refs import INSTANCE, Ref, database, instance_ref
from brokerui.pages.map.network import RouteNetwork
from brokerui.pages.map.scope import Scope
from routing.model.address import Address
from routing.model.estate import Database
from routing.model.route import Route

PAGE_ROWS = 100
"""On a page."""
MAX_PLACES = 3
"""Places that a row names; further ones are counted."""


@dataclass(frozen=True, slots=True)
class DatabaseLine:
    """A database, and its routes added up."""

    instance: str
    database: Database
    places: tuple[Ref, ...]
    more_places: int
    onward: int
    local: int
    by_name: int
    expired: int
    led_from: int
    """Instances with routes to this one."""

    @property
    def instance_ref(self) -> Ref:
        return instance_ref(self.instance)

    @property
    def ref(self) -> Ref:
        return database(self.instance, self.database.name)


@dataclass(frozen=True, slots=True)
class DatabaseListPage:
    """One page of the table."""

    lines: tuple[DatabaseLine, ...]
    number: int
    pages: int
    count: int

    @property
    def previous(self) -> int:
        return self.number - 1

    @property
    def next(self) -> int:
        return self.number + 1

    @property
    def first(self) -> int:
        return (self.number - 1) * PAGE_ROWS + 1

    @property
    def last(self) -> int:
        return self.first + len(self.lines) - 1


def page_of(network: RouteNetwork, scope: Scope, at: datetime, number: int) -> DatabaseListPage:
    """The page of this number; the last one if there are fewer pages."""
    count = sum(len(network.estate.instances[name].databases) for name in scope.instances)
    pages = max(1, -(-count // PAGE_ROWS))
    number = min(number, pages)
    tables = islice(_tables(network, scope), (number - 1) * PAGE_ROWS, number * PAGE_ROWS)
    return DatabaseListPage(tuple(_line(network, *table, at) for table in tables), number, pages, count)


def _tables(network: RouteNetwork, scope: Scope) -> Iterator[tuple[str, Database]]:
    for name in scope.instances:
        for one in network.estate.instances[name].databases.values():
            yield name, one


def _line(network: RouteNetwork, instance: str, one: Database, at: datetime) -> DatabaseLine:
    routes = one.table.routes.values()
    places = tuple(dict.fromkeys(place for route in routes for place in network.places(route)))
    return DatabaseLine(
        instance,
        one,
        places[:MAX_PLACES],
        max(0, len(places) - MAX_PLACES),
        onward=sum(route.address.is_network for route in routes),
        local=sum(route.address.is_local for route in routes),
        by_name=sum(route.address.is_transport for route in routes),
        expired=sum(route.expired(at) for route in routes),
        led_from=len(network.callers.get(instance_ref(instance), ())),
    )


COLUMNS = (
    "instance",
    "database",
    "route",
    "remote_service_name",
    "broker_instance",
    MomentColumn("lifetime"),
    "expired",
    "address",
    "leads_to",
    "mirror_address",
    "mirror_leads_to",
)


def as_csv(network: RouteNetwork, scope: Scope, at: datetime) -> Iterator[str]:
    """Yield a CSV line for each route of the instances on the map, and one for each database without routes."""
    yield from csv_lines([COLUMNS])
    for instance, one in _tables(network, scope):
        routes = one.table.routes.values()
        rows = [(instance, one.name, *_columns(network, route, at)) for route in routes]
        yield "".join(csv_lines(rows or [(instance, one.name, *[""] * (len(COLUMNS) - 2))]))


def _columns(network: RouteNetwork, route: Route, at: datetime) -> tuple[object, ...]:
    mirror = route.mirror_address
    return (
        route.name,
        route.remote_service_name or "",
        route.broker_instance or "",
        route.lifetime or "",
        "yes" if route.expired(at) else "no",
        route.address.text,
        _instance_at(network, route.address) if route.address.is_network else "",
        mirror.text if mirror else "",
        _instance_at(network, mirror) if mirror else "",
    )


def _instance_at(network: RouteNetwork, address: Address) -> str:
    place = network.place(address)
    return place.name if place.kind == INSTANCE else ""

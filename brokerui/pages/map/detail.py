"""The map of few instances: every database with its services, every route with where it leads."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Container, Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime

from brokerui.estate.refs import OUTSIDE, Ref, database, instance_ref, outside, route
from brokerui.estate.shared_prefix import shared_prefix
from brokerui.pages.map.network import RouteNetwork
from brokerui.pages.map.plan import (
    ANY,
    BUNDLES,
    DETAIL,
    LOCAL,
    NAMED,
    OPENED,
    REST,
    TRANSPORT,
    MapBox,
    MapCell,
    MapPlan,
    MapRow,
    Text,
)
from brokerui.pages.map.scope import Scope
from routing.common.names import MSDB
from routing.common.sentence import Sentence, say, say_counted
from routing.model.estate import MIRROR, PRINCIPAL, Database, Instance
from routing.model.route import Route

MAX_SERVICES = 3
"""Services of a database that are named; further ones are counted."""
Way = tuple[str, tuple[Ref, ...], str]
"""The kind of a row, the places to which its lines lead, and the name of a route that has a row of its own."""


@dataclass(frozen=True, slots=True)
class Unbundled:
    """Routes and services that are not bundled with others that lead the same way."""

    routes: Container[Ref] = ()
    databases: Container[Ref] = ()
    """Databases that are opened: each route of theirs has a row, each service a line."""


BUNDLED = Unbundled()


def detail(network: RouteNetwork, scope: Scope, at: datetime, unbundled: Unbundled = BUNDLED) -> MapPlan:
    """A box for each instance of the scope and each address outside that their routes name."""
    plan = MapPlan(DETAIL, shared=shared_prefix(network.homes))
    for name in scope.instances:
        box = instance_box(network, scope, name, at, unbundled)
        plan.boxes[box.ref] = box
    for row in list(plan.rows()):
        for place in row.to:
            if place.kind == OUTSIDE and place not in plan.boxes:
                plan.boxes[place] = outside_box(place.name)
    return plan


def outside_box(address: str) -> MapBox:
    return MapBox(outside(address), address, (say("no instance of this estate"),), about=frozenset({outside(address)}))


def instance_box(
    network: RouteNetwork, scope: Scope, name: str, at: datetime, unbundled: Unbundled = BUNDLED
) -> MapBox:
    """With every database and route."""
    here, instance = instance_ref(name), network.estate.instances[name]
    cells = [_cell(network, scope, instance.name, one, at, unbundled) for one in instance.databases.values()]
    address = next((one.text for one in instance.addresses), "")
    return MapBox(here, instance.name, (forwarding(instance),), cells, frozenset({here}), address=address)


def forwarding(instance: Instance) -> Sentence:
    return say("forwarding on") if instance.forwarding else say("forwarding off")


def _cell(
    network: RouteNetwork, scope: Scope, instance: str, one: Database, at: datetime, unbundled: Unbundled
) -> MapCell:
    here = database(instance, one.name)
    is_open = here in unbundled.databases
    rows = list(_rows(network, scope, instance, one, at, unbundled))
    services = _services(one, scope.service, len(one.services) if is_open else MAX_SERVICES)
    fold = OPENED if is_open else BUNDLES if len(services) > MAX_SERVICES or _bundles(rows) else ""
    return MapCell(here, one.name, tuple(_notes(one)), services, rows, frozenset({here}), fold=fold)


def _bundles(rows: list[MapRow]) -> bool:
    return any(row.kind != REST and row.routes > 1 for row in rows)


def _notes(one: Database) -> Iterator[Text]:
    """Yield what an operator must know of a database at once."""
    if one.name == MSDB:
        yield say("for messages from outside")
    if not one.broker_enabled:
        yield say("broker disabled")
    if one.mirroring_role == PRINCIPAL:
        yield say("principal")
    elif one.mirroring_role == MIRROR:
        yield say("mirror")


def _services(one: Database, service: str | None, most: int) -> list[Text]:
    """The first services by name; `service`, for which the map is asked, stands before all others."""
    names = sorted((found.name for found in one.user_services), key=lambda name: name != service)
    more = len(names) - most
    if more <= 0:
        return list(names)
    return [*names[:most], say_counted(more, "and one more service", "and {count} more services")]


def _rows(
    network: RouteNetwork, scope: Scope, instance: str, one: Database, at: datetime, unbundled: Unbundled
) -> Iterator[MapRow]:
    """Yield a row for each place to which routes lead, and a last one for the routes that are not drawn."""
    is_open = database(instance, one.name) in unbundled.databases
    ways: dict[Way, list[Route]] = defaultdict(list)
    rest: list[Route] = []
    for found in one.table.routes.values():
        places = tuple(place for place in network.places(found) if scope.draws(instance, place))
        is_drawn = scope.keeps(found) and (places or not found.address.is_network)
        if is_drawn:
            is_alone = is_open or route(instance, one.name, found.name) in unbundled.routes
            ways[kind_of_row(found), places, found.name if is_alone else ""].append(found)
        else:
            rest.append(found)
    for (_, places, _), routes in ways.items():
        yield row_of(instance, one.name, places, routes, at)
    if rest:
        yield _rest(instance, one.name, rest)


def kind_of_row(found: Route) -> str:
    if found.address.is_local:
        return LOCAL
    if found.address.is_transport:
        return TRANSPORT
    return NAMED if found.remote_service_name is not None else ANY


def row_of(instance: str, table: str, places: tuple[Ref, ...], routes: list[Route], at: datetime) -> MapRow:
    """The row of routes of one kind that lead to the same places."""
    expired = sum(found.expired(at) for found in routes)
    kind, first = kind_of_row(routes[0]), routes[0].name
    return MapRow(
        route(instance, table, first),
        kind,
        f"{first} +{len(routes) - 1}" if len(routes) > 1 else first,
        tuple(_row_notes(kind, routes, expired)),
        places,
        len(routes),
        frozenset(route(instance, table, found.name) for found in routes),
        mirrored=any(found.mirror_address is not None for found in routes),
        expired=expired == len(routes),
    )


def _row_notes(kind: str, routes: list[Route], expired: int) -> Iterator[Text]:
    if kind == LOCAL:
        yield say("stays here")
    elif kind == TRANSPORT:
        yield say("to the address in the service name")
    yield from _services_named(kind, routes)
    if any(found.mirror_address is not None for found in routes):
        yield say("mirrored")
    if expired == len(routes):
        yield say("expired")
    elif expired:
        yield say_counted(expired, "one expired", "{count} expired")


def _services_named(kind: str, routes: Iterable[Route]) -> Iterator[Text]:
    names = list(dict.fromkeys(found.remote_service_name for found in routes))
    if kind == ANY:
        yield say("for any service")
    elif len(names) > 1:
        yield say_counted(len(names), "for one service", "for {count} services")
    elif names[0] is not None:
        yield say("for {service}", service=names[0])


def _rest(instance: str, table: str, rest: list[Route]) -> MapRow:
    text = say_counted(len(rest), "one more route", "{count} more routes")
    about = frozenset(route(instance, table, found.name) for found in rest)
    return MapRow(database(instance, table), REST, text, (say("not drawn"),), routes=len(rest), about=about)

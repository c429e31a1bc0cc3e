"""Possible remedies for a conversation that ends in the wrong place: statements, by where the rules stop."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from routing.common.finding import Finding
from routing.lint.remedy import (
    alter_database,
    alter_endpoint,
    altered,
    create_service,
    made_again,
    new_route,
    taken_names,
    use,
)
from routing.lint.spelling import looks
from routing.model.address import parse_address
from routing.model.estate import Database, Estate, Instance
from routing.model.route import Route
from routing.model.route_table import RouteTable
from routing.rules.decision import (
    DELIVERED,
    EXITS,
    FORWARDING_DISABLED,
    HOP_LIMIT,
    NO_ROUTE,
    NOT_AN_ADDRESS,
    ROUTE_REQUESTED,
    SERVICE_NOT_FOUND,
    Outcome,
)
from routing.rules.journey_account import HopAccount, Journey, JourneyEnd

MAX_HOMES = 3
"""Databases with the service to which routes are tried."""
FORWARDING_ON = "FOR SERVICE_BROKER (MESSAGE_FORWARDING = ENABLED)"


class Candidate(NamedTuple):
    """T-SQL to be tried on an instance."""

    instance: str
    sql: str
    finding: Finding | None = None


def candidates(journey: Journey, estate: Estate, home: Outcome | None = None) -> Iterator[Candidate]:
    """Statements that might have the conversation delivered; for a way back, to its `home`."""
    for end in journey.ends:
        if end.outcome == home or (home is None and end.outcome.kind in (DELIVERED, EXITS)):
            continue  # a conversation that leaves the estate may be meant to
        is_late = end.outcome.kind in (DELIVERED, EXITS) or end.outcome.detail == HOP_LIMIT
        yield from _for_end(journey, end, journey.hops[0] if is_late else _hop_of(journey, end), estate, home)


def _for_end(
    journey: Journey, end: JourneyEnd, hop: HopAccount, estate: Estate, home: Outcome | None
) -> Iterator[Candidate]:
    reason = end.outcome.detail
    if reason == FORWARDING_DISABLED:
        yield Candidate(end.instance, alter_endpoint(FORWARDING_ON))
        hop = journey.hops[0]
    if reason == SERVICE_NOT_FOUND:
        yield from _brokers(journey, hop, estate)
        yield from _identifiers(journey, hop, estate)
        yield from _services(journey, hop, estate)
    if end.outcome.kind in (EXITS, DELIVERED) or reason in _BY_ROUTE:
        yield from _routes(journey, hop, estate, home)
    if hop is not journey.hops[0] and reason in _BY_ROUTE:
        yield from _routes(journey, journey.hops[0], estate, home)


_BY_ROUTE = (NO_ROUTE, SERVICE_NOT_FOUND, NOT_AN_ADDRESS, ROUTE_REQUESTED, FORWARDING_DISABLED, HOP_LIMIT)


def _hop_of(journey: Journey, end: JourneyEnd) -> HopAccount:
    at_end = [hop for hop in journey.hops if hop.instance == end.instance]
    return at_end[-1] if at_end else journey.hops[0]


def _routes(journey: Journey, hop: HopAccount, estate: Estate, home: Outcome | None) -> Iterator[Candidate]:
    """A route of the table that was asked to each place with the service, or to the one way home; where the table has
    routes for the service, another address for them: a second route would leave a choice between both."""
    service = journey.conversation.to_service
    instance = estate.instances[hop.instance]
    table = instance.tables[hop.database]
    for there, database in _homes(journey, estate, home):
        address = "LOCAL" if there is instance else next((a.key for a in there.addresses), None)
        if address is None:
            continue
        for old in _named(table, service):
            yield from _candidate(hop, altered(hop.table, old, address=parse_address(address)))
        identifier = database.broker_instance if home is not None else None
        name = f"Return to {service}" if home is not None else f"To {service}"
        route = new_route(name, address, taken_names(table), service=service, identifier=identifier)
        yield Candidate(hop.instance, use(hop.table, (route,)))


def _named(table: RouteTable, service: str) -> list[Route]:
    """The only route for a service; none of several, which are meant to share its conversations."""
    routes = [route for route in table.routes.values() if route.remote_service_name == service]
    return routes if len(routes) == 1 and routes[0].mirror_address is None else []


def _homes(journey: Journey, estate: Estate, home: Outcome | None) -> list[tuple[Instance, Database]]:
    if home is not None:
        there = estate.instances[home.instance]
        database = there.databases.get(home.detail)
        return [] if database is None else [(there, database)]
    service, given = journey.conversation.to_service, journey.conversation.to_broker_instance
    found = [
        (instance, database)
        for instance in estate.instances.values()
        for database in instance.targets.get(service, ())
        if given is None or database.broker_instance in (None, given)
    ]
    return found[:MAX_HOMES]


def _brokers(journey: Journey, hop: HopAccount, estate: Estate) -> Iterator[Candidate]:
    """A disabled broker of a database with the service is enabled."""
    service = journey.conversation.to_service
    for database in estate.instances[hop.instance].databases.values():
        if not database.broker_enabled and database.has_service(service):
            yield Candidate(hop.instance, alter_database(database.name, "ENABLE_BROKER"))


def _services(journey: Journey, hop: HopAccount, estate: Estate) -> Iterator[Candidate]:
    """A service of the name, on the queue and with the contracts of one there whose name only looks the same."""
    wanted = journey.conversation.to_service
    for database in estate.instances[hop.instance].databases.values():
        for service in database.user_services:
            if service.name != wanted and looks(service.name) == looks(wanted) and service.queue:
                yield Candidate(hop.instance, use(database.name, (create_service(wanted, service),)))


def _identifiers(journey: Journey, hop: HopAccount, estate: Estate) -> Iterator[Candidate]:
    """The identifier of a chosen route is corrected, or left out."""
    routes = estate.instances[hop.instance].tables[hop.database].routes
    named = dict.fromkeys(name for step in hop.steps if step.rule == "CHOOSE-2" for name in step.routes)
    for route in (routes[name] for name in named if name in routes):
        if route.broker_instance is None:
            continue
        for database in estate.instances[hop.instance].targets.get(journey.conversation.to_service, ()):
            if database.broker_instance is not None:
                yield from _candidate(hop, altered(hop.table, route, broker_instance=database.broker_instance))
        yield from _candidate(hop, _without_identifier(hop, route, journey))


def _without_identifier(hop: HopAccount, route: Route, journey: Journey) -> str | None:
    return made_again(hop.table, route, journey.at, broker_instance=None)


def _candidate(hop: HopAccount, sql: str | None) -> Iterator[Candidate]:
    if sql is not None:
        yield Candidate(hop.instance, sql)

"""RT-TABLE and the steps MATCH-1 to MATCH-7."""

from __future__ import annotations

from datetime import datetime

from tests.naive.message import (
    Here,
    Json,
    Question,
    can_be_target,
    database_named,
    databases_of,
    identifier_of,
)
from tests.naive.values import parse_time

DYNAMIC_ROUTING_SERVICE = "SQL/ServiceBroker/BrokerConfiguration"  # MATCH-4


def routing_table(question: Question, here: Here) -> list[Json]:
    """The routes of the database that began it; from outside those of msdb.

    Interfaces: an instance written without msdb has one with no routes.
    """
    name = "msdb" if here.origin is None else here.origin
    database = database_named(question.instance(here.instance), name) or {}
    return [route for route in database.get("routes", []) if is_live(route, question.at)]


def is_live(route: Json, at: datetime) -> bool:
    """A route is expired at and after its lifetime."""
    lifetime = route.get("lifetime")
    return lifetime is None or at < parse_time(lifetime)


# Each rule answers with the groups of routes that match: one group, or several where
# there is an arbitrary choice between them (MATCH-3), or none.


def select(table: list[Json], service: str | None, identifier: str | None) -> list[Json]:
    """The routes with exactly this service name and this identifier (None: without)."""
    wanted = (service, identifier)
    return [route for route in table if (route.get("remote_service_name"), identifier_of(route)) == wanted]


def one_group(routes: list[Json]) -> list[list[Json]]:
    return [routes] if routes else []


def match_1(question: Question, table: list[Json]) -> list[list[Json]]:
    """The conversation gives an identifier: routes with this name and identifier."""
    if question.identifier is None:
        return []
    return one_group(select(table, question.service, question.identifier))


def match_2(question: Question, table: list[Json]) -> list[list[Json]]:
    """Routes with this name and no identifier."""
    return one_group(select(table, question.service, None))


def match_3(question: Question, table: list[Json]) -> list[list[Json]]:
    """No identifier given: for each identifier, the routes with this name and it."""
    if question.identifier is not None:
        return []
    identifiers = {identifier_of(route) for route in table} - {None}
    groups = [select(table, question.service, one) for one in sorted(map(str, identifiers))]
    return [group for group in groups if group]


def match_4(question: Question, table: list[Json]) -> bool:
    """A route to the dynamic routing service, the conversation not being to it."""
    names = [route.get("remote_service_name") for route in table]
    return DYNAMIC_ROUTING_SERVICE in names and question.service != DYNAMIC_ROUTING_SERVICE


def match_5(table: list[Json]) -> list[list[Json]]:
    """Routes with neither name nor identifier."""
    return one_group(select(table, None, None))


def match_6(question: Question, here: Here) -> list[list[Json]]:
    """An identifier given, and a database here that can be the target: as if LOCAL."""
    databases = databases_of(question.instance(here.instance))
    if question.identifier is None:
        return []
    if not any(can_be_target(database, question.service) for database in databases):
        return []
    return [[{"remote_service_name": question.service, "address": "LOCAL"}]]


def matching(question: Question, here: Here) -> list[list[Json]] | str:
    """The groups of the first step that matches, or the reason of the delay."""
    table = routing_table(question, here)
    for rule in (match_1, match_2, match_3):
        if groups := rule(question, table):
            return groups
    if match_4(question, table):
        return "route_requested"
    return match_5(table) or match_6(question, here) or "no_route"  # else MATCH-7

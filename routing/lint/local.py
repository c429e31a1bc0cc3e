"""Checks of services that cannot be reached from within their own instance."""

from __future__ import annotations

from collections.abc import Iterator

from routing.classes.traffic_class import UNKNOWN_SERVICE
from routing.common.finding import ERROR, INFO, WARNING, Finding
from routing.common.names import DYNAMIC_ROUTING_SERVICE, MSDB, is_system_service
from routing.common.sentence import say
from routing.lint.context import LintContext
from routing.lint.facts import asks_for_routes, begins_only
from routing.lint.linted_objects import HostedDatabase, LintedRoute, database_finding, few, lost
from routing.lint.remedy import free_name, new_route, taken_names, use
from routing.model.conversation import Conversation
from routing.model.estate import Database, Instance
from routing.rules.choosing import Decisions
from routing.rules.decision import NO_ROUTE, ROUTE_REQUESTED, Delay, Drop

AUTO_CREATED = "AutoCreatedLocal"
WITHOUT_IT = frozenset({"master", "tempdb"})
"""The databases that SQL Server creates without this route."""


def _services(instance: Instance) -> list[str]:
    """The services that can be reached in an instance, without those of SQL Server."""
    return [name for name in instance.targets if not is_system_service(name)]


def _stopped(decisions: Decisions, reason: str) -> bool:
    return all(isinstance(d, Delay | Drop) and d.reason == reason for d in decisions)


def no_autocreatedlocal(scene: LintContext) -> Iterator[Finding]:
    """A database with services, not msdb, without a live route for everything to LOCAL, from which a service of its own
    instance cannot be reached: no route matches it (MATCH-5, MATCH-7).

    An error for a service of the database itself, which conversations begun here most likely need, unless it is known
    to accept no contract and so is no target; a warning for another database's. No finding if every service of the
    instance can be reached by name or over another instance.
    """
    for held in scene.originals:
        database = held.database
        if not database.user_services or database.name == MSDB or database.name.lower() in WITHOUT_IT:
            continue
        if any(not route.expired(scene.at) for route in database.table.wildcard.local):
            continue
        unreachable = list(_unreachable(scene, held))
        if unreachable:
            own = [service.name for service in database.user_services if not begins_only(service)]
            held_here = next((name for name in own if name in unreachable), None)
            reason = say(
                "It has no route for everything to LOCAL: from here, no route matches {service}, which is in "
                "this instance.",
                service=held_here or unreachable[0],
            )
            severity = WARNING if held_here is None else ERROR
            yield database_finding("no-autocreatedlocal", severity, held, reason, _auto_created(database))


def _unreachable(scene: LintContext, held: HostedDatabase) -> Iterator[str]:
    """The services of the instance for which no route matches here.

    Names without a route of their own match like a name that occurs nowhere: that is evaluated once for all of them.
    """
    named = held.database.table.named
    like_any = _stopped(scene.begun(held, UNKNOWN_SERVICE), NO_ROUTE)
    for service in _services(held.instance):
        if (like_any or service in named) and _stopped(scene.begun(held, service), NO_ROUTE):
            yield service


def _auto_created(database: Database) -> str:
    return use(database.name, (new_route(AUTO_CREATED, "LOCAL", taken_names(database.table)),))


def outside_goes_nowhere(scene: LintContext) -> Iterator[Finding]:
    """An instance with services for which no route of its msdb matches: messages from outside are dropped (RT-TABLE).

    An error if a live route of another instance, for such a service by name and without an identifier, leads here; a
    warning if one with an identifier, or without a name, does; else information, and only for an instance that is known
    to listen, because administrators close instances this way on purpose.
    """
    for instance in scene.instances:
        closed = [name for name in _services(instance) if _stopped(scene.from_outside(instance.name, name), NO_ROUTE)]
        if not closed:
            continue
        severity = _severity_of_closing(scene, instance, closed)
        if severity is not None:
            reason = say("No route of msdb matches messages from outside for {services}.", services=few(closed))
            remedy = use(MSDB, (new_route(AUTO_CREATED, "LOCAL", taken_names(instance.msdb)),))
            yield Finding("outside-goes-nowhere", severity, instance.name, MSDB, MSDB, reason, remedy_sql=remedy)


def _severity_of_closing(scene: LintContext, instance: Instance, closed: list[str]) -> str | None:
    names = set(closed)
    comes = [
        row.route for row in scene.led_to.get(instance.name, ()) if row.route.remote_service_name in {None, *names}
    ]
    if any(route.remote_service_name and not route.broker_instance for route in comes):
        return ERROR
    if comes:
        return WARNING
    return INFO if instance.endpoint is not None else None


def dynamic_route_hides_local(scene: LintContext) -> Iterator[Finding]:
    """A table with a live route to the dynamic routing service and one for everything to LOCAL, while a service of the
    same instance has no route by name: MATCH-4 precedes MATCH-5, so its conversations wait for a route.

    An error if the dynamic routing service itself cannot be reached from there, else a warning.
    """
    for held in scene.originals:
        table = held.database.table
        asking = asks_for_routes(table, scene.at)
        if asking is None or all(route.expired(scene.at) for route in table.wildcard.local):
            continue
        hidden = [
            name for name in _services(held.instance) if _stopped(_asked_here(scene, held, name), ROUTE_REQUESTED)
        ]
        if hidden:
            reason = say(
                "It comes before the route for everything to LOCAL, so services of this very instance must wait "
                "for a route: {services}.",
                services=few(hidden),
            )
            row = LintedRoute(*held, asking)
            severity, remedy = _severity_of_hiding(scene, held), _explicit(held.database, hidden)
            yield row.finding("dynamic-route-hides-local", severity, reason, remedy)


def _asked_here(scene: LintContext, held: HostedDatabase, service: str) -> Decisions:
    if held.database.name == MSDB:
        return scene.from_outside(held.instance.name, service)
    return scene.begun(held, service)


def _severity_of_hiding(scene: LintContext, held: HostedDatabase) -> str:
    asks = None if held.database.name == MSDB else held.database.name
    ends = scene.outcomes(Conversation(held.instance.name, asks, DYNAMIC_ROUTING_SERVICE))
    return ERROR if lost(ends) else WARNING


def _explicit(database: Database, services: list[str]) -> str:
    """The remedy: a LOCAL route by name for each service."""
    taken = taken_names(database.table)
    statements = []
    for service in services:
        name = free_name(f"Local {service}", taken)
        taken.add(name.lower())
        statements.append(new_route(name, "LOCAL", (), service=service))
    return use(database.name, statements)

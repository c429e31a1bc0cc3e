"""Check of return paths: without one, the target's acknowledgements never reach the initiator."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from routing.classes.traffic_class import UNKNOWN_IDENTIFIER
from routing.common.finding import ERROR, Finding
from routing.common.names import is_system_service
from routing.common.sentence import Sentence, say
from routing.lint.context import LintContext
from routing.lint.facts import begins_only
from routing.lint.linted_objects import HostedDatabase, LintedRoute, database_finding, few, lost
from routing.lint.remedy import alter_route, free_name, new_route, taken_names, use
from routing.lint.spelling import looks
from routing.model.address import parse_address
from routing.model.conversation import Conversation
from routing.model.estate import Database
from routing.model.route import Route
from routing.rules.decision import DELIVERED, Outcome
from routing.rules.initiators import possible_initiators


def no_return_route(scene: LintContext) -> Iterator[Finding]:
    """A database that receives conversations of another one, whose replies to it all get nowhere (RT-REPLY, RT-TABLE).

    Evaluated for every pair given by a live route for a service by name: the route's database, if it has services that
    may begin the conversation and can receive replies, and each database to which its conversations may be delivered.
    Reported only if replies to none of the services can return, because any of them may be the sender. Event
    notifications begin in EventNotificationService, those on the server in msdb. Not reported if the route is itself a
    return path: the service at its end is known to accept no contract, or that database has a route, right or wrong,
    for a service of the route's database that may accept one. A reply that reaches the right instance counts as arrived
    if the initiator's identifier is unknown.
    """
    reported: set[tuple[str, str, str, str]] = set()
    services = {service.name for held in scene.databases for service in held.database.user_services}
    for row in scene.rows_for(services):
        service = str(row.route.remote_service_name)
        for end in _targets(scene, row, service):
            pair = (row.instance.name, row.database.name, end.instance, end.detail)
            if pair in reported:
                continue
            reported.add(pair)
            finding = _without_return(scene, HostedDatabase(row.instance, row.database), end, service)
            if finding is not None:
                yield finding


def _targets(scene: LintContext, row: LintedRoute, service: str) -> Iterator[Outcome]:
    """The databases to which conversations from the route's database to the route's service are delivered."""
    database = row.database
    if not database.can_be_target or not database.services:
        return
    for end in _ends(scene, row, service):
        if end.kind == DELIVERED and (end.instance, end.detail) != (row.instance.name, database.name):
            target = scene.estate.instances[end.instance].databases[end.detail]
            if not _begins_itself(target, service, database):
                yield end


def _ends(scene: LintContext, row: LintedRoute, service: str) -> Iterator[Outcome]:
    """Their outcomes with the route's identifier and, as most conversations begin, without one (MATCH-3)."""
    for identifier in dict.fromkeys((row.route.broker_instance, None)):
        yield from scene.outcomes(Conversation(row.instance.name, row.database.name, service, identifier))


def _begins_itself(target: Database, service: str, database: Database) -> bool:
    """True if the database at the end of the route is the one that begins conversations between the two."""
    at_its_end = next(s for s in target.services if s.name == service)
    if begins_only(at_its_end):
        return True
    named = {looks(name) for name in target.table.named}
    return any(looks(one.name) in named and not begins_only(one) for one in database.user_services)


def _without_return(scene: LintContext, initiator: HostedDatabase, end: Outcome, to: str) -> Finding | None:
    instance = scene.estate.instances[end.instance]
    target = HostedDatabase(instance, instance.databases[end.detail])
    services = list(possible_initiators(initiator.database, target.database, to))
    if not services or not all(_gets_nowhere(scene, initiator, target, service) for service in services):
        return None
    remedy = _remedy(scene, initiator, target, services)
    reason = _reason(initiator, services)
    if _needs_identifier(scene, initiator, services):
        reason = say(
            "{reason} Every server has that service: a route back to this one needs the identifier of {database}. To"
            " know it, import sys.databases of {instance}.",
            reason=reason,
            database=initiator.database.name,
            instance=initiator.instance.name,
        )
    return database_finding("no-return-route", ERROR, target, reason, remedy)


def _reason(initiator: HostedDatabase, services: list[str]) -> Sentence:
    values = {"database": initiator.database.name, "instance": initiator.instance.name, "services": few(services)}
    if all(map(is_system_service, services)):
        return say(
            "It takes notifications of {database} on {instance}, but acknowledgements to {services} "
            "there do not arrive.",
            **values,
        )
    return say(
        "It takes conversations of {database} on {instance}, but replies to {services} there do not arrive.", **values
    )


def _gets_nowhere(scene: LintContext, initiator: HostedDatabase, target: HostedDatabase, service: str) -> bool:
    """True if replies to this service of the initiator are lost."""
    if scene.keeps(target, service):
        return True
    carried = _identifiers(scene, initiator, target, service)
    return all(_loses(scene, initiator, target, service, identifier) for identifier in carried)


def _identifiers(
    scene: LintContext, initiator: HostedDatabase, target: HostedDatabase, service: str
) -> tuple[str | None, ...]:
    """The identifier that a reply carries. If it is unknown, any that the target's routes give and no database has."""
    known = initiator.database.broker_instance
    if known is not None:
        return (known,)
    named = target.database.table.named.get(service)
    given = [identifier for identifier in (named.by_identifier if named else ()) if identifier not in scene.holders]
    return (*given, UNKNOWN_IDENTIFIER)


def _loses(
    scene: LintContext, initiator: HostedDatabase, target: HostedDatabase, service: str, identifier: str | None
) -> bool:
    reply = Conversation(target.instance.name, target.database.name, service, identifier, is_reply=True)
    ends = scene.outcomes(reply)
    is_known = initiator.database.broker_instance is not None
    if not is_known and any(end.instance == initiator.instance.name for end in ends):
        return False
    return lost(ends)


def _needs_identifier(scene: LintContext, initiator: HostedDatabase, services: list[str]) -> bool:
    """True for a service that further instances have as well, of a database whose identifier is not known."""
    is_unknown = initiator.database.broker_instance is None
    return is_unknown and any(map(is_system_service, services)) and len(scene.estate.instances) > 2


def _remedy(scene: LintContext, initiator: HostedDatabase, target: HostedDatabase, services: list[str]) -> str | None:
    """The remedy: a return route for each service, or the right address for the one that is there; LOCAL within one
    instance.

    None for a system service if its identifier is unknown and there are further instances: each has that service, and
    only the identifier tells them apart.
    """
    instance, database = initiator
    if _needs_identifier(scene, initiator, services):
        return None
    address = "LOCAL" if instance is target.instance else next((a.key for a in instance.addresses), None)
    if address is None:
        return None
    taken = taken_names(target.database.table)
    statements = []
    for service in services:
        there = _only_route(target.database, service, database.broker_instance, scene.at)
        if there is not None:
            statements.append(alter_route(there, address=parse_address(address)))
            continue
        name = free_name(f"Return to {service}", taken)
        taken.add(name.lower())
        statements.append(new_route(name, address, (), service=service, identifier=database.broker_instance))
    return use(target.database.name, statements)


def _only_route(database: Database, service: str, identifier: str | None, at: datetime) -> Route | None:
    """The only route for a service by name, if it lives, may be for this identifier and has no mirror: it leads astray.
    Another address would not help an expired one."""
    named = database.table.named.get(service)
    if named is None:
        return None
    groups = (named.without_identifier, *named.by_identifier.values())
    routes = [route for group in groups for route in group.routes]
    if len(routes) != 1 or routes[0].mirror_address is not None or routes[0].expired(at):
        return None
    return routes[0] if routes[0].broker_instance in (None, identifier) else None

"""Routes of msdb that were meant for another database of the instance, and those that msdb may need itself."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from routing.common.finding import WARNING, Finding
from routing.common.names import EVENT_NOTIFICATION_SERVICE, MSDB, is_system_service
from routing.common.sentence import say
from routing.lint.context import LintContext
from routing.lint.linted_objects import HostedDatabase, LintedRoute, few, lost
from routing.lint.remedy import create_route, drop_route, free_name, is_accepted, taken_names, use
from routing.model.conversation import Conversation
from routing.model.estate import Database, Instance
from routing.model.route import Route
from routing.rules.decision import DELIVERED
from routing.rules.initiators import may_be_notified
from routing.rules.journey import outcomes


def route_in_msdb(scene: LintContext) -> Iterator[Finding]:
    """A route of msdb that was made in the wrong database: msdb decides about messages from outside alone.

    Told where no live route of another instance brings messages for its service here, msdb has no use for it itself,
    and a database of the instance with services of its own gets no conversation to that service anywhere.
    """
    for row in scene.live:
        if row.begins_in is None:
            waiting = databases_meant(scene, row.instance, row.route)
            if waiting:
                yield _finding(scene, row, waiting)


def databases_meant(scene: LintContext, instance: Instance, route: Route) -> tuple[Database, ...]:
    """The databases of the instance whose conversations a route of its msdb was meant for; none if it may be sound."""
    name = route.remote_service_name
    if name is None or is_system_service(name) or not route.address.is_network:
        return ()
    if _is_brought(scene, instance, name) or is_of_use_to_msdb(scene, instance.databases[MSDB], [route]):
        return ()
    return databases_without(scene, instance, name, route.broker_instance)


def databases_without(
    scene: LintContext, instance: Instance, name: str, identifier: str | None
) -> tuple[Database, ...]:
    """The databases of the instance with services of their own whose conversations to this service get nowhere; none
    where those of one of them arrive."""
    begins = [one for one in instance.databases.values() if one.name != MSDB and one.user_services]
    found = [scene.outcomes(Conversation(instance.name, one.name, name, identifier)) for one in begins]
    if any(end.kind == DELIVERED for ends in found for end in ends):
        return ()
    return tuple(one for one, ends in zip(begins, found, strict=True) if lost(ends))


def is_of_use_to_msdb(scene: LintContext, msdb: Database, onward: list[Route]) -> bool:
    """True if the routes may all be for conversations that msdb begins: a service of users may, and event
    notifications may."""
    if msdb.user_services:
        return True
    return msdb.has_service(EVENT_NOTIFICATION_SERVICE) and all(_may_be_notified(scene, route) for route in onward)


def _may_be_notified(scene: LintContext, route: Route) -> bool:
    name = route.remote_service_name
    homes = scene.services.get(name, ()) if name is not None else ()
    return not homes or any(may_be_notified(held.database, str(name)) for held in homes)


def _is_brought(scene: LintContext, instance: Instance, service: str) -> bool:
    """True if a live route of another instance may bring messages for this service."""
    brought = scene.led_to.get(instance.name, ())
    return any(row.route.remote_service_name in (None, service) for row in brought)


def _finding(scene: LintContext, row: LintedRoute, waiting: tuple[Database, ...]) -> Finding:
    reason = say(
        "msdb is asked about messages from outside alone, and no instance sends any for {service} here: conversations "
        "that begin in {databases} do not take this route, and are not delivered.",
        service=str(row.route.remote_service_name),
        databases=few([database.name for database in waiting]),
    )
    held = HostedDatabase(row.instance, waiting[0])
    remedy = moved_to(scene, held, row) if len(waiting) == 1 else None
    return row.finding("route-in-msdb", WARNING, reason, remedy)


def moved_to(scene: LintContext, held: HostedDatabase, row: LintedRoute) -> str | None:
    """Move the route to the database whose conversations need it; None where it does not help, or is refused."""
    route = row.route
    made = replace(route, name=free_name(route.name, taken_names(held.database.table)))
    place = held.instance.name, held.database.name
    conversation = Conversation(*place, str(route.remote_service_name), route.broker_instance)
    if not is_accepted(made) or lost(
        outcomes(scene.estate.with_route(*place, made.name, made), conversation, scene.at)
    ):
        return None
    added = use(held.database.name, (create_route(made, scene.at),))
    return "\n".join((added, use(row.database.name, (drop_route(route.name),))))

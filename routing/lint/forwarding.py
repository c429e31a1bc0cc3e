"""Checks of instances that should forward and do not."""

from __future__ import annotations

from collections.abc import Iterator

from routing.classes.traffic_class import UNKNOWN_SERVICE
from routing.common.finding import ERROR, WARNING, Finding
from routing.common.names import MSDB
from routing.common.sentence import Sentence, say
from routing.lint.context import LintContext
from routing.lint.linted_objects import LintedRoute, instance_finding
from routing.lint.msdb_routes import databases_meant, is_of_use_to_msdb
from routing.lint.remedy import alter_endpoint
from routing.model.estate import Instance
from routing.model.route import Route
from routing.rules.decision import FORWARDING_DISABLED, Drop


def forwarding_off(scene: LintContext) -> Iterator[Finding]:
    """An instance whose msdb would send messages on, while its message forwarding is off (CHOOSE-FWD).

    An error if a live route of another instance, for a service by name, brings messages that are all dropped; a warning
    if some of them may be, or those of routes without a name, or if no route is known to lead here and msdb has no
    service that its own routes could be for. Routes of msdb to a service that may be notified of events can be for its
    own event notifications: those on the server begin in msdb. Routes that were made in the wrong database are told as
    `route-in-msdb`.
    """
    for instance in scene.instances:
        onward = [] if instance.forwarding else _onward(scene, instance)
        if not onward:
            continue
        brought = [(row, _dropped(scene, instance, row)) for row in scene.led_to.get(instance.name, ())]
        dropped = [row for row, drops in brought if any(drops)]
        surely = [row for row, drops in brought if all(drops) and row.route.remote_service_name is not None]
        if dropped or not _are_meant_otherwise(scene, instance, onward):
            severity = ERROR if surely else WARNING
            remedy = alter_endpoint("FOR SERVICE_BROKER (MESSAGE_FORWARDING = ENABLED)")
            reason = _reason(onward, surely or dropped)
            yield instance_finding("forwarding-off", severity, instance, reason, remedy)


def _are_meant_otherwise(scene: LintContext, instance: Instance, onward: list[Route]) -> bool:
    """True if the routes may be for what msdb begins itself, or all were meant for another database."""
    if is_of_use_to_msdb(scene, instance.databases[MSDB], onward):
        return True
    return all(databases_meant(scene, instance, route) for route in onward)


def _onward(scene: LintContext, instance: Instance) -> list[Route]:
    """The live routes of its msdb that lead out of the instance."""
    routes = (r for r in instance.msdb.routes.values() if not r.address.is_local and not r.expired(scene.at))
    return [route for route in routes if scene.estate.resolve(route.address) != instance.name]


def _dropped(scene: LintContext, instance: Instance, row: LintedRoute) -> list[bool]:
    """For each possible decision on a message that this route brings: whether it is dropped because forwarding is off.

    The route's identifier does not travel with the message: most conversations begin without one.
    """
    service = row.route.remote_service_name or UNKNOWN_SERVICE
    return [
        isinstance(decision, Drop) and decision.reason == FORWARDING_DISABLED
        for identifier in dict.fromkeys((row.route.broker_instance, None))
        for decision in scene.from_outside(instance.name, service, identifier)
    ]


def _reason(onward: list[Route], dropped: list[LintedRoute]) -> Sentence:
    if not dropped:
        return say(
            "Its msdb has routes that lead on ({route}), but message forwarding is off: their messages are dropped.",
            route=onward[0].name,
        )
    row = dropped[0]
    values = {"route": row.route.name, "database": row.database.name, "instance": row.instance.name}
    if len(dropped) == 1:
        return say("Message forwarding is off: it drops what {route} of {database} on {instance} sends it.", **values)
    return say(
        "Message forwarding is off: it drops what {count} routes send it, such as {route} of {database} on {instance}.",
        count=len(dropped),
        **values,
    )

"""Instances that should forward and do not."""

from __future__ import annotations

from collections.abc import Iterator

from routing.classes import NOWHERE
from routing.decision import FORWARDING_DISABLED, Drop
from routing.estate import Instance
from routing.finding import ERROR, WARNING, Finding
from routing.lint.remedy import alter_endpoint
from routing.lint.scene import Row, Scene, instance_finding, own_services
from routing.names import MSDB
from routing.route import Route
from routing.sentence import Sentence, say


def forwarding_off(scene: Scene) -> Iterator[Finding]:
    """An instance whose msdb would send messages on, while its message forwarding is off (CHOOSE-FWD).

    An error where a live route of another instance, for a service by name, brings messages that are dropped so; a
    warning where only routes without a name may, or where nothing is known to come and msdb has no service that
    its own routes could be for.
    """
    for instance in scene.instances:
        onward = [] if instance.forwarding else _onward(scene, instance)
        if not onward:
            continue
        dropped = [row for row in scene.led_to.get(instance.name, ()) if _drops(scene, instance, row)]
        named = [row for row in dropped if row.route.remote_service_name is not None]
        if dropped or not own_services(instance.databases[MSDB]):
            severity = ERROR if named else WARNING
            remedy = alter_endpoint("FOR SERVICE_BROKER (MESSAGE_FORWARDING = ENABLED)")
            reason = _reason(onward, named or dropped)
            yield instance_finding("forwarding-off", severity, instance, reason, remedy)


def _onward(scene: Scene, instance: Instance) -> list[Route]:
    """The live routes of its msdb that lead out of the instance."""
    routes = (r for r in instance.msdb.routes.values() if not r.address.is_local and not r.expired(scene.at))
    return [route for route in routes if scene.estate.resolve(route.address) != instance.name]


def _drops(scene: Scene, instance: Instance, row: Row) -> bool:
    """Whether it drops what this route brings, for want of forwarding."""
    service = row.route.remote_service_name or NOWHERE
    decisions = scene.from_outside(instance.name, service, row.route.broker_instance)
    return any(isinstance(decision, Drop) and decision.reason == FORWARDING_DISABLED for decision in decisions)


def _reason(onward: list[Route], dropped: list[Row]) -> Sentence:
    if not dropped:
        return say(
            "Its msdb has routes that lead on ({route}), but message forwarding is off: what comes is dropped.",
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

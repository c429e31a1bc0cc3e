"""Checks of services that several databases have, where only their name is given."""

from __future__ import annotations

from collections.abc import Iterator, Set

from routing.common.finding import INFO, WARNING, Finding
from routing.common.names import is_system_service
from routing.common.sentence import say
from routing.lint.context import LintContext
from routing.lint.linted_objects import HostedDatabase, few
from routing.model.estate import Instance
from routing.rules.decision import Deliver


def service_copies(scene: LintContext) -> Iterator[Finding]:
    """Several databases of one instance can be the target for one service name, and the rules leave the choice open:
    new conversations go to a random one (LOC-2).

    A warning if a live route for that name without an identifier leads to the instance; else information, because a
    conversation prefers the copy in its own database.
    """
    copies = [(instance, service) for instance in scene.instances for service in _copied(scene, instance)]
    by_name = _asked_by_name_only(scene, {service for _, service in copies})
    for instance, service in copies:
        databases = instance.targets[service]
        reason = say(
            "{count} databases of the instance have it: {databases}. Without an identifier, a new "
            "conversation goes to a random one.",
            count=len(databases),
            databases=few([database.name for database in databases]),
        )
        severity = WARNING if (instance.name, service) in by_name else INFO
        yield Finding("service-copies", severity, instance.name, None, service, reason)


def _copied(scene: LintContext, instance: Instance) -> Iterator[str]:
    for service, databases in instance.targets.items():
        if len(databases) > 1 and not is_system_service(service) and _open(scene, instance, service):
            yield service


def _asked_by_name_only(scene: LintContext, services: Set[str]) -> set[tuple[str, str | None]]:
    """Pairs of instance and service to which a route leads without naming the database by identifier."""
    return {
        (instance.name, row.route.remote_service_name)
        for row in (scene.rows_for(services) if services else ())
        if row.route.broker_instance is None
        for instance in scene.leads(row)
    }


def _open(scene: LintContext, instance: Instance, service: str) -> bool:
    """True if the choice is open for messages from outside, or for a database without a copy of its own."""
    if sum(isinstance(decision, Deliver) for decision in scene.from_outside(instance.name, service)) > 1:
        return True
    others = (d for d in instance.databases.values() if not d.has_service(service))
    return any(_delivers_to_several(scene, HostedDatabase(instance, database), service) for database in others)


def _delivers_to_several(scene: LintContext, held: HostedDatabase, service: str) -> bool:
    return sum(isinstance(decision, Deliver) for decision in scene.begun(held, service)) > 1

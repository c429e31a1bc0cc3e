"""Checks of service broker identifiers that belong to no database, to the wrong one, or to two."""

from __future__ import annotations

from collections.abc import Iterator

from routing.common.finding import ERROR, INFO, WARNING, Finding
from routing.common.sentence import Sentence, say
from routing.lint.context import LintContext
from routing.lint.facts import network_addresses
from routing.lint.linted_objects import HostedDatabase, LintedRoute, database_finding, lost
from routing.lint.remedy import altered, new_broker
from routing.model.estate import Instance


def unknown_identifier(scene: LintContext) -> Iterator[Finding]:
    """A live route whose identifier is not that of a database with its service, if that can be known.

    It is that of a database without the service; or that of one with it, but on another instance than the one to which
    the route leads, which has the service too; or that of no database, as after NEW_BROKER. Not reported if it cannot
    be known: a database with the service has an unknown identifier, or the address is outside the estate. An error if a
    conversation with the identifier gets nowhere (MATCH-1, LOC-1), as each has from its first acknowledgement on
    (RT-PIN).
    """
    for row in scene.live:
        name, identifier = row.route.remote_service_name, row.route.broker_instance
        if name is None or identifier is None:
            continue
        reason = mistaken(scene, row, name, identifier)
        if reason is not None:
            severity = ERROR if lost(scene.ends(row, name)) else WARNING
            yield row.finding("unknown-identifier", severity, reason, _with_right_one(scene, row, name))


def mistaken(scene: LintContext, row: LintedRoute, name: str, identifier: str) -> Sentence | None:
    """The error in the identifier; None: there is none, or it cannot be known."""
    holders = scene.holders.get(identifier, ())
    right = [held for held in holders if held.database.has_service(name)]
    if right:
        return _elsewhere(scene, row, name, right)
    homes = scene.services.get(name, ())
    if any(held.database.broker_instance is None for held in homes):
        return None
    if holders:
        return say(
            '{identifier} is the identifier of {database} on {instance}, which has no service "{service}".',
            identifier=identifier,
            database=holders[0].database.name,
            instance=holders[0].instance.name,
            service=name,
        )
    if not homes or any(scene.estate.resolve(address) is None for address in network_addresses(row.route)):
        return None
    return say("No database of the estate has the identifier {identifier}.", identifier=identifier)


def _elsewhere(scene: LintContext, row: LintedRoute, name: str, right: list[HostedDatabase]) -> Sentence | None:
    """The identifier is right for another instance than the one to which the route leads, which has the service too."""
    leads = list(scene.leads(row))
    if any(held.instance is instance for held in right for instance in leads):
        return None
    mixed_up = [instance for instance in leads if _knows_its_own(instance, name)]
    if not mixed_up or not lost(scene.ends(row, name)):
        return None
    return say(
        "Its identifier is that of {database} on {instance}, and its address that of {other}.",
        database=right[0].database.name,
        instance=right[0].instance.name,
        other=mixed_up[0].name,
    )


def _knows_its_own(instance: Instance, name: str) -> bool:
    homes = instance.targets.get(name, ())
    return bool(homes) and all(database.broker_instance is not None for database in homes)


def _with_right_one(scene: LintContext, row: LintedRoute, name: str) -> str | None:
    """The remedy: the identifier of the only database with the service where the route leads, or else in the estate."""
    homes = scene.services.get(name, ())
    leads = list(scene.leads(row))
    near = [held for held in homes if any(held.instance is instance for instance in leads)]
    identifiers = {held.database.broker_instance for held in near or homes}
    if len(identifiers) != 1 or None in identifiers:
        return None
    return altered(row.database.name, row.route, broker_instance=identifiers.pop())


def duplicate_identifier(scene: LintContext) -> Iterator[Finding]:
    """Two databases with one identifier that are no mirroring partners: one was restored or attached from the other.

    A warning if both can be a target, because a reply or an acknowledged conversation may reach either (RT-REPLY,
    LOC-1). Information if one of two on the same instance is disabled: it cannot be enabled as it is (9772). Partners
    of a mirrored database are not reported, nor is a disabled copy on another instance.
    """
    for held in scene.holders.values():
        active = [one for one in held if one.database.can_be_target]
        first = (active or held)[0]
        for other in held:
            if other is first:
                continue
            if other.database.can_be_target:
                yield _copy(WARNING, first, other)
            elif other.instance is first.instance and not other.database.broker_enabled:
                yield _copy(INFO, first, other)


def _copy(severity: str, first: HostedDatabase, other: HostedDatabase) -> Finding:
    reason = say(
        "It has the same identifier as {database} on {instance}: {identifier}.",
        database=first.database.name,
        instance=first.instance.name,
        identifier=first.database.broker_instance,
    )
    return database_finding("duplicate-identifier", severity, other, reason, new_broker(other.database.name))

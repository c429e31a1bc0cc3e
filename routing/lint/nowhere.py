"""Check of routes whose conversations get nowhere, if no other check reports the cause."""

from __future__ import annotations

from collections.abc import Iterator

from routing.common.finding import ERROR, WARNING, Finding
from routing.common.names import DYNAMIC_ROUTING_SERVICE, is_system_service
from routing.common.sentence import Sentence, say
from routing.lint.context import LintContext
from routing.lint.facts import own_services
from routing.lint.identifiers import mistaken
from routing.lint.linted_objects import HostedDatabase, LintedRoute, few, lost
from routing.lint.master_routes import is_read_for_nothing
from routing.lint.remedy import altered
from routing.lint.spelling import is_mistyped
from routing.model.address import LOCAL, Address
from routing.model.estate import MIRROR, PRINCIPAL
from routing.rules.decision import NO_PRINCIPAL, NO_ROUTE, SERVICE_NOT_FOUND, Outcome

REASONS = frozenset((SERVICE_NOT_FOUND, NO_ROUTE, NO_PRINCIPAL))
"""Reasons of drops and delays without a check of their own."""


def leads_nowhere(scene: LintContext) -> Iterator[Finding]:
    """A live route for a service by name whose conversations all end where the service is not, or where no route
    matches, or where no partner is the principal.

    An error if the estate has the service elsewhere; a warning if it does not have it at all, but has other services of
    the instance at the end. Not reported if another check reports the route or its end.
    """
    for row in scene.live:
        name = row.route.remote_service_name
        if name is None or is_system_service(name) or name == DYNAMIC_ROUTING_SERVICE or is_read_for_nothing(row):
            continue
        ends = scene.ends(row, name)
        if lost(ends) and not _told_otherwise(scene, row, name, ends) and not scene.supposed(row, name):
            homes = scene.services.get(name, [])
            if homes or _tells_services(scene, ends[0].instance):
                severity = ERROR if homes else WARNING
                reason, remedy = _reason(name, ends[0], homes), _remedy(scene, row, ends[0], homes)
                yield row.finding("leads-nowhere", severity, reason, remedy)


def _told_otherwise(scene: LintContext, row: LintedRoute, name: str, ends: tuple[Outcome, ...]) -> bool:
    """True if another check reports the cause: forwarding is off, a database is disabled, an msdb has no route, an
    identifier or a spelling is wrong, or the route leads to its own instance."""
    if any(end.detail not in REASONS for end in ends):
        return True
    at_the_end = {end.instance for end in ends if end.detail != NO_PRINCIPAL}
    at_the_end.update(here.name for here in scene.leads(row) if row.route.mirror_address is not None)
    if any(_has_one_that_is_no_mirror(scene, instance, name) for instance in at_the_end):
        return True
    if name in scene.services and scene.estate.resolve(row.route.address) == row.instance.name:
        return True
    identifier = row.route.broker_instance
    if identifier is not None and mistaken(scene, row, name, identifier) is not None:
        return True
    return name not in scene.services and is_mistyped(scene, name)


def _has_one_that_is_no_mirror(scene: LintContext, instance: str, name: str) -> bool:
    """True if a partner of unknown role has the database: it may be the principal."""
    databases = scene.estate.instances[instance].databases.values()
    return any(d.mirroring_role != MIRROR and d.has_service(name) for d in databases)


def _tells_services(scene: LintContext, instance: str) -> bool:
    return any(map(own_services, scene.estate.instances[instance].databases.values()))


def _reason(name: str, end: Outcome, homes: list[HostedDatabase]) -> Sentence:
    values = {"service": name, "instance": end.instance, "homes": few(_names(homes))}
    if end.detail == NO_PRINCIPAL:
        return say("At neither of its addresses is a database in the role PRINCIPAL with {service}.", **values)
    if any(home.instance.name == end.instance for home in homes):
        return say("The database with {service} on {instance} is a mirror and takes no messages.", **values)
    if end.detail == NO_ROUTE and homes:
        return say("Conversations to {service} end on {instance}, where no route matches; it is on {homes}.", **values)
    if end.detail == NO_ROUTE:
        return say("Conversations to {service} end on {instance}, where no route matches.", **values)
    if homes:
        return say("Conversations to {service} end on {instance}, which does not have it; it is on {homes}.", **values)
    return say("Conversations to {service} end on {instance}, which does not have it.", **values)


def _names(homes: list[HostedDatabase]) -> list[str]:
    return list(dict.fromkeys(home.instance.name for home in homes))


def _remedy(scene: LintContext, row: LintedRoute, end: Outcome, homes: list[HostedDatabase]) -> str | None:
    """The remedy: a route to the only place with the service, if no instance on the way should have forwarded it.

    A route to a current mirror gets the principal as its partner.
    """
    leads = [instance.name for instance in scene.leads(row)]
    if end.detail == NO_PRINCIPAL or leads != [end.instance] or row.route.mirror_address is not None:
        return None
    able = [home for home in homes if home.database.can_be_target]
    if len(able) != 1 or not able[0].instance.addresses or end.instance == row.instance.name:
        return None
    if able[0].instance is row.instance:
        is_its_own = able[0].database is row.database  # the route means another service
        return None if is_its_own else altered(row.database.name, row.route, address=Address(LOCAL, LOCAL))
    there = able[0].instance.addresses[0]
    if able[0].database.mirroring_role == PRINCIPAL and any(home.instance.name == end.instance for home in homes):
        return altered(row.database.name, row.route, mirror_address=there)
    if scene.estate.instances[end.instance].forwarding:
        return None
    return altered(row.database.name, row.route, address=there)

"""Routes of master, which are read for nothing."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from routing.classes.traffic_class import UNKNOWN_SERVICE
from routing.common.finding import WARNING, Finding
from routing.common.names import MSDB
from routing.common.sentence import Sentence, say
from routing.lint.context import LintContext
from routing.lint.linted_objects import HostedDatabase, LintedRoute, few
from routing.lint.msdb_routes import databases_without, moved_to
from routing.lint.remedy import create_route, drop_route, free_name, is_accepted, taken_names, use
from routing.model.estate import Database
from routing.rules.choosing import Decisions
from routing.rules.decision import Delay, Drop
from routing.rules.hop import Hop
from routing.rules.router import decide

MASTER = "master"


def route_in_master(scene: LintContext) -> Iterator[Finding]:
    """A live route of master, where no conversation begins: its database has no service of its own.

    The remedy moves it to msdb where that lets messages from outside go on, or to the one database whose conversations
    need it.
    """
    for row in scene.live:
        if not is_read_for_nothing(row) or _is_made_by_itself(row):
            continue
        waiting = _waiting(scene, row)
        yield row.finding("route-in-master", WARNING, _reason(row, waiting), _remedy(scene, row, waiting))


def is_read_for_nothing(row: LintedRoute) -> bool:
    """True for a route of master, unless master has a service whose conversations begin there."""
    return row.database.name.casefold() == MASTER and not row.database.user_services


def _is_made_by_itself(row: LintedRoute) -> bool:
    """True for AutoCreatedLocal, which every database has."""
    return row.route.remote_service_name is None and row.route.address.is_local


def _waiting(scene: LintContext, row: LintedRoute) -> tuple[Database, ...]:
    name = row.route.remote_service_name
    return () if name is None else databases_without(scene, row.instance, name, row.route.broker_instance)


def _reason(row: LintedRoute, waiting: tuple[Database, ...]) -> Sentence:
    reason = say(
        "No message takes it: conversations are matched with the routes of the database in which they begin, and"
        " messages from other instances with those of msdb."
    )
    if not waiting:
        return reason
    return say(
        "{reason} Conversations that begin in {databases} to {service} are not delivered.",
        reason=reason,
        databases=few([database.name for database in waiting]),
        service=str(row.route.remote_service_name),
    )


def _remedy(scene: LintContext, row: LintedRoute, waiting: tuple[Database, ...]) -> str | None:
    """Move it to where it helps; None where it helps nowhere, or in several places."""
    onward = _moved_to_msdb(scene, row)
    if len(waiting) == 1 and onward is None:
        return moved_to(scene, HostedDatabase(row.instance, waiting[0]), row)
    return None if waiting else onward


def _moved_to_msdb(scene: LintContext, row: LintedRoute) -> str | None:
    """Move it to msdb, where messages from outside that are all dropped without it go on."""
    msdb = row.instance.databases.get(MSDB)
    service = row.route.remote_service_name or UNKNOWN_SERVICE
    if msdb is None or not scene.led_to.get(row.instance.name):
        return None
    made = replace(row.route, name=free_name(row.route.name, taken_names(msdb.table)))
    if not is_accepted(made) or not _gets_nowhere(scene.from_outside(row.instance.name, service, made.broker_instance)):
        return None
    there = Hop(
        scene.estate.with_route(row.instance.name, MSDB, made.name, made),
        row.instance.name,
        None,
        service=service,
        identifier=made.broker_instance,
        is_reply=False,
        at=scene.at,
    )
    if _gets_nowhere(decide(there)):
        return None
    added = use(MSDB, (create_route(made, scene.at),))
    return "\n".join((added, use(row.database.name, (drop_route(row.route.name),))))


def _gets_nowhere(decisions: Decisions) -> bool:
    return all(isinstance(decision, (Drop, Delay)) for decision in decisions)

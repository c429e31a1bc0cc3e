"""Checks of routes that have expired or soon will."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

from routing.common.finding import ERROR, INFO, WARNING, Finding
from routing.common.moment import format_moment
from routing.common.sentence import say
from routing.lint.context import LintContext
from routing.lint.facts import asks_for_routes
from routing.lint.linted_objects import LintedRoute, lost
from routing.lint.remedy import made_again
from routing.rules.decision import DELAYED, DROPPED

SOON = timedelta(days=7)
"""Routes that expire within this time are reported: long enough to act in working hours."""


def route_expired(scene: LintContext) -> Iterator[Finding]:
    """An expired route: it is ignored (RT-TABLE), but stays in `sys.routes`.

    An error if conversations for its service get nowhere without it, information if the dynamic routing service is
    asked for a new one (MATCH-4), and a warning if they take another route now.
    """
    for row in scene.rows:
        if row.route.lifetime is None or not row.route.expired(scene.at):
            continue
        severity = _severity(scene, row)
        values = {"lifetime": format_moment(row.route.lifetime), "service": row.route.remote_service_name}
        if severity == ERROR:
            reason = say(
                "It expired at {lifetime}; without it, conversations to {service} are not delivered.", **values
            )
        elif severity == INFO:
            reason = say("It expired at {lifetime}; the dynamic routing service is asked for another.", **values)
        else:
            reason = say("It expired at {lifetime} and is ignored.", **values)
        yield row.finding("route-expired", severity, reason, _for_ever(scene, row))


def _severity(scene: LintContext, row: LintedRoute) -> str:
    if row.route.remote_service_name is None:
        return WARNING
    ends = scene.ends(row, row.route.remote_service_name)
    if lost(ends):
        return ERROR
    return INFO if all(end.kind in (DELAYED, DROPPED) for end in ends) else WARNING


def route_expires_soon(scene: LintContext) -> Iterator[Finding]:
    """A route that expires within seven days (RT-TABLE).

    Information in a table with a live route to the dynamic routing service: such routes are meant to be short-lived.
    """
    for row in scene.live:
        lifetime = row.route.lifetime
        if lifetime is None or lifetime - scene.at > SOON:
            continue
        renewed = asks_for_routes(row.database.table, scene.at) is not None
        reason = say("It expires at {lifetime}; from then on it is ignored.", lifetime=format_moment(lifetime))
        yield row.finding("route-expires-soon", INFO if renewed else WARNING, reason, _for_ever(scene, row))


def _for_ever(scene: LintContext, row: LintedRoute) -> str | None:
    """The remedy: drop and create, because ALTER ROUTE can change a lifetime but not remove it."""
    return made_again(row.database.name, row.route, scene.at, lifetime=None)

"""Checks of routes that other routes of their table keep from ever being used."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime

from routing.classes.traffic_class import UNKNOWN_IDENTIFIER, UNKNOWN_SERVICE
from routing.common.finding import INFO, WARNING, Finding
from routing.common.names import MSDB
from routing.common.sentence import say
from routing.lint.context import LintContext
from routing.lint.linted_objects import HostedDatabase, LintedRoute
from routing.lint.remedy import drop_route, use
from routing.model.route import Route
from routing.model.route_table import RouteSet, RouteTable
from routing.rules.hop import Hop
from routing.rules.router import decide
from routing.rules.trace import RejectedRoute, Trace

_NEVER = datetime.max.replace(tzinfo=UTC)


def shadowed_route(scene: LintContext) -> Iterator[Finding]:
    """A live route that matches, but beside which another one is always chosen for the rest of its lifetime.

    Proved with the engine, at each time at which a route of its set expires, for the conversations that such a set can
    match (CHOOSE-1 to CHOOSE-4). A LOCAL route does not shadow a network one: it is skipped for a service or identifier
    that is not on this instance. A route that waits for another one to expire is not shadowed.
    """
    for held in scene.originals:
        for group in _groups(held.database.table):
            if sum(map(bool, (group.mirrored, group.local, group.network, group.transport))) > 1:
                yield from _shadowed(scene, held, group)


def _groups(table: RouteTable) -> Iterator[RouteSet]:
    """The sets of routes that match together."""
    for named in table.named.values():
        yield named.without_identifier
        yield from named.by_identifier.values()
    yield table.wildcard


def _shadowed(scene: LintContext, held: HostedDatabase, group: RouteSet) -> Iterator[Finding]:
    moments = {scene.at, *(r.lifetime for r in group.routes if r.lifetime and r.lifetime > scene.at)}
    aside: dict[str, list[RejectedRoute | None]] = {route.name: [] for route in group.routes}
    for moment in sorted(moments):
        alive = group.alive(moment).routes
        for put_aside in _put_aside(scene, held, alive, moment):
            for route in alive:
                aside[route.name].append(put_aside.get(route.name))
    for name, judgements in aside.items():
        if judgements and judgements[0] is not None and all(judgements):
            row = LintedRoute(*held, held.database.table.routes[name])
            reason = say("No conversation can use it: {clause}.", clause=judgements[0].clause)
            remedy = use(held.database.name, (drop_route(name),))
            yield row.finding("shadowed-route", WARNING, reason, remedy)


def _put_aside(
    scene: LintContext, held: HostedDatabase, alive: tuple[Route, ...], moment: datetime
) -> Iterator[dict[str, RejectedRoute]]:
    """The routes that choosing rejects, for each kind of conversation that these routes match.

    With an identifier of this instance, an unknown one, and none: they differ in whether LOCAL can be chosen.
    """
    if not alive:
        return
    name, identifier = alive[0].remote_service_name, alive[0].broker_instance
    database = None if held.database.name == MSDB else held.database.name
    for requested in (identifier,) if identifier else (None, UNKNOWN_IDENTIFIER):
        trace = Trace()
        pending = {name or UNKNOWN_SERVICE}  # so that MATCH-4 is skipped, as after the first request
        hop = Hop(
            scene.estate,
            held.instance.name,
            database,
            service=name or UNKNOWN_SERVICE,
            identifier=requested,
            is_reply=False,
            at=moment,
            pending=pending,
            trace=trace,
        )
        decide(hop)
        yield {
            rejected.route: rejected
            for step in trace.steps
            if step.rule.startswith("CHOOSE")
            for rejected in step.rejected
        }


def identical_routes(scene: LintContext) -> Iterator[Finding]:
    """A live route with the identifier, service name and addresses of another one of its table (CHOOSE-0).

    The finding keeps the route with the longest lifetime, of equal ones the first.
    """
    for held in scene.originals:
        for group in _groups(held.database.table):
            if len(group.routes) > 1:
                yield from _identical(scene, held, group)


def _identical(scene: LintContext, held: HostedDatabase, group: RouteSet) -> Iterator[Finding]:
    same: dict[object, list[Route]] = {}
    for route in group.alive(scene.at).routes:
        same.setdefault(route.same_as, []).append(route)
    for routes in same.values():
        stays = max(routes, key=lambda route: route.lifetime or _NEVER)
        for route in routes:
            if route is not stays:
                reason = say("It is identical to {route}; having both changes nothing.", route=stays.name)
                remedy = use(held.database.name, (drop_route(route.name),))
                yield LintedRoute(*held, route).finding("identical-routes", INFO, reason, remedy)

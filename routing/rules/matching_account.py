"""Explains matching: which routes each step considered, which it found, and why it rejected the others."""

from __future__ import annotations

from collections.abc import Iterable

from routing.common.moment import format_moment
from routing.common.names import DYNAMIC_ROUTING_SERVICE, folded
from routing.common.sentence import Sentence, listed, say
from routing.model.route import Route
from routing.model.route_table import RouteSet
from routing.rules.hop import Hop
from routing.rules.trace import RejectedRoute

MAX_LISTED_ROUTES = 50
"""A step lists this many rejected routes and counts the rest."""


def account_for_step(hop: Hop, rule: str, found: tuple[RouteSet, ...] | None) -> None:
    """Add the step to the trace of the hop, which must have one."""
    assert hop.trace is not None
    routes = [route for alternative in found or () for route in alternative.routes]
    if rule == "MATCH-6":
        routes = []
    seen = _near(hop) if found is not None else _looked_at(hop, rule)
    rejected = [RejectedRoute(r.name, unmatched_clause(hop, r, rule)) for r in seen if not any(r is f for f in routes)]
    others = len(hop.table) - len(_near(hop)) if found is not None else 0
    hop.trace.add(
        rule,
        found is not None,
        _SAYS[rule](hop, found),
        routes=tuple(r.name for r in routes),
        rejected=tuple(rejected[:MAX_LISTED_ROUTES]),
        more_rejected=others + len(rejected[MAX_LISTED_ROUTES:]),
    )


def unmatched_clause(hop: Hop, route: Route, rule: str) -> Sentence:
    """Why a route of the table did not match, given that the matching ended at this rule."""
    if route.expired(hop.at):
        assert route.lifetime is not None
        return say("expired at {lifetime}", lifetime=format_moment(route.lifetime))
    if route.remote_service_name is None:
        if route.broker_instance is not None:
            return say("has an identifier but no service name: it matches at no step")
        return _only_at("MATCH-5", rule)
    if route.remote_service_name != hop.service:
        return _other_service(hop, route.remote_service_name)
    if route.broker_instance is None:
        return _only_at("MATCH-2", rule)
    if hop.identifier is None:
        return _only_at("MATCH-3", rule)
    return say("other identifier: {identifier}", identifier=route.broker_instance)


def _other_service(hop: Hop, name: str) -> Sentence:
    if folded(name) == folded(hop.service):
        return say("other service: {name} differs only in case or spaces", name=name)
    return say("other service: {name}", name=name)


def _only_at(step: str, rule: str) -> Sentence:
    return say("is asked only at {step}; the matching ended at {rule}", step=step, rule=rule)


def _near(hop: Hop) -> list[Route]:
    """Routes the user may have meant: for this service name, for one in other case, and those without a name."""
    named = hop.named
    return [*(named.all_routes() if named else ()), *hop.table.almost(hop.service), *hop.table.nameless]


def _looked_at(hop: Hop, rule: str) -> Iterable[Route]:
    """The routes that a step considered before it found nothing."""
    named = hop.named
    if rule == "MATCH-5":
        return hop.table.nameless
    if rule == "MATCH-2":
        return (*(named.without_identifier.routes if named else ()), *hop.table.almost(hop.service))
    if named is None:
        return ()
    with_identifier = [r for group in named.by_identifier.values() for r in group.routes]
    is_applied = rule == ("MATCH-3" if hop.identifier is None else "MATCH-1")
    return with_identifier if is_applied else ()


def _names(found: tuple[RouteSet, ...]) -> Sentence | tuple[str, ...]:
    return listed([route.name for alternative in found for route in alternative.routes])


def _match_1(hop: Hop, found: tuple[RouteSet, ...] | None) -> Sentence:
    if hop.identifier is None:
        return say("Name and identifier: the conversation gives no identifier.")
    if found:
        return say("Exactly this name and identifier: {routes}.", routes=_names(found))
    return say("No route has exactly this name and identifier.")


def _match_2(hop: Hop, found: tuple[RouteSet, ...] | None) -> Sentence:
    if found:
        return say("Exactly this name, no identifier: {routes}.", routes=_names(found))
    return say("No route has exactly this name and no identifier.")


def _match_3(hop: Hop, found: tuple[RouteSet, ...] | None) -> Sentence:
    if hop.identifier is not None:
        return say("Name with any identifier: not asked, the conversation gives one.")
    if not found:
        return say("No route has exactly this name and some identifier.")
    if len(found) > 1:
        return say(
            "Exactly this name, with {count} different identifiers: one is taken arbitrarily, of {routes}.",
            count=len(found),
            routes=_names(found),
        )
    return say("Exactly this name, with an identifier: {routes}.", routes=_names(found))


def _match_4(hop: Hop, found: tuple[RouteSet, ...] | None) -> Sentence:
    if found is not None:
        return say("There is a route to the dynamic routing service: it is asked for a route.")
    if hop.service == DYNAMIC_ROUTING_SERVICE:
        return say("Dynamic routing: not for a conversation to the dynamic routing service itself.")
    if hop.table.dynamic is not None and hop.service in hop.pending:
        return say("Dynamic routing: a request for this service is pending already.")
    return say("There is no route to the dynamic routing service.")


def _match_5(hop: Hop, found: tuple[RouteSet, ...] | None) -> Sentence:
    if found:
        return say("Neither name nor identifier: {routes}.", routes=_names(found))
    return say("No route has neither name nor identifier.")


def _match_6(hop: Hop, found: tuple[RouteSet, ...] | None) -> Sentence:
    if found:
        return say(
            "An identifier is given and {instance} has the service: as if a route said LOCAL.",
            instance=hop.instance.name,
        )
    if hop.identifier is None:
        return say("Service in this instance: only asked when the conversation gives an identifier.")
    return say("No database of {instance} that can be a target has the service.", instance=hop.instance.name)


def _match_7(hop: Hop, found: tuple[RouteSet, ...] | None) -> Sentence:
    if hop.outside:
        return say("No route matches: the message is dropped, its sender sends it again.")
    return say("No route matches: the conversation is marked DELAYED and matched again later.")


_SAYS = {
    "MATCH-1": _match_1,
    "MATCH-2": _match_2,
    "MATCH-3": _match_3,
    "MATCH-4": _match_4,
    "MATCH-5": _match_5,
    "MATCH-6": _match_6,
    "MATCH-7": _match_7,
}

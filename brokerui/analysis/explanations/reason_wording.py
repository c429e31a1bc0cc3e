"""Sentences on the reason of an outcome, and on the next step against it."""

from __future__ import annotations

from collections.abc import Callable

from brokerui.analysis.explanations.tried_advice import hop_of
from routing.common.names import DYNAMIC_ROUTING_SERVICE, MSDB
from routing.common.sentence import Sentence, say, say_counted
from routing.rules.decision import (
    FORWARDING_DISABLED,
    HOP_LIMIT,
    NO_PRINCIPAL,
    NO_ROUTE,
    NOT_AN_ADDRESS,
    ROUTE_REQUESTED,
    SERVICE_NOT_FOUND,
)
from routing.rules.journey_account import Journey, JourneyEnd

LOCATED_BY = ("LOC-1", "LOC-2")
CHOSEN_BY = ("CHOOSE-1", "CHOOSE-3", "CHOOSE-4")
"""The rules that choose a route which leads away from its instance."""


def circle(end: JourneyEnd) -> tuple[str, ...]:
    """The instances that send it to each other, the first of them again at the end; empty without a circle."""
    way = [leg.instance for leg in end.legs if leg.database is None] + [end.instance]
    here = way[-1]
    before = [index for index, instance in enumerate(way[:-1]) if instance == here]
    return tuple(way[before[-1] :]) if before else ()


def _table(journey: Journey, end: JourneyEnd) -> dict[str, str]:
    hop = hop_of(journey, end)
    return {"database": hop.table, "instance": hop.instance, "service": journey.conversation.to_service}


def _routes(journey: Journey, end: JourneyEnd) -> tuple[str, ...]:
    """The routes that were chosen and led no further."""
    steps = hop_of(journey, end).steps
    return tuple(dict.fromkeys(name for step in steps if step.rule in CHOSEN_BY and step.taken for name in step.routes))


def _no_route(journey: Journey, end: JourneyEnd) -> Sentence:
    return say("No route of {database} on {instance} matches {service}.", **_table(journey, end))


def _create_route(journey: Journey, end: JourneyEnd) -> Sentence:
    return say("Create a route for {service} in {database} on {instance}.", **_table(journey, end))


def _not_found(journey: Journey, end: JourneyEnd) -> Sentence:
    """As Locating said it, which knows the database that fails."""
    steps = hop_of(journey, end).steps
    failed = {(rule, False) for rule in LOCATED_BY} | {("RT-REPLY", True)}
    reasons = [step.says for step in steps if (step.rule, step.taken) in failed]
    return reasons[-1] if reasons else say("No database of {instance} can take {service}.", **_table(journey, end))


def _requested(journey: Journey, end: JourneyEnd) -> Sentence:
    return say(
        "No route names {service}, and there is a route to the dynamic routing service: it is asked for one.",
        **_table(journey, end),
    )


def _look_at_dynamic(journey: Journey, end: JourneyEnd) -> Sentence:
    return say(
        "See whether {dynamic} answers, or create a route for {service} in {database} on {instance}.",
        dynamic=DYNAMIC_ROUTING_SERVICE,
        **_table(journey, end),
    )


def _no_principal(journey: Journey, end: JourneyEnd) -> Sentence:
    return say(
        "No address of {routes} leads to a database in the role PRINCIPAL that can be meant by {service}.",
        routes=_routes(journey, end),
        service=journey.conversation.to_service,
    )


def _look_at_partners(journey: Journey, end: JourneyEnd) -> Sentence:
    return say(
        "See which partner is the principal, then import both partners or correct the addresses of {routes}.",
        routes=_routes(journey, end),
    )


def _not_an_address(journey: Journey, end: JourneyEnd) -> Sentence:
    return say(
        "{routes} says TRANSPORT, and the service name {service} does not begin with an address.",
        routes=_routes(journey, end),
        service=journey.conversation.to_service,
    )


def _create_before_transport(journey: Journey, end: JourneyEnd) -> Sentence:
    return say(
        "Create a route for {service} in {database} on {instance} that gives a network address.", **_table(journey, end)
    )


def _forwarding_off(journey: Journey, end: JourneyEnd) -> Sentence:
    return say(
        "{routes} leads on to another instance, and message forwarding is off on {instance}.",
        routes=_routes(journey, end),
        instance=end.instance,
    )


def _switch_forwarding_on(journey: Journey, end: JourneyEnd) -> Sentence:
    return say(
        "Switch message forwarding on at the endpoint of {instance}, or send {service} another way.",
        **_table(journey, end),
    )


def _too_many_hops(journey: Journey, end: JourneyEnd) -> Sentence:
    count = sum(leg.database is None for leg in end.legs)
    if way := circle(end):
        return say(
            "It is forwarded in a loop, {way}, until the limit of {count} hops.",
            way=" → ".join(way),
            count=count,
        )
    return say_counted(
        count,
        "It was forwarded once, the limit of this estate.",
        "It was forwarded {count} times, the limit of this estate.",
    )


def _break_circle(journey: Journey, end: JourneyEnd) -> Sentence:
    names = tuple(
        dict.fromkeys(leg.send.route for leg in end.legs if leg.instance == end.instance and not leg.database)
    )
    if circle(end):
        return say(
            "Break the loop: change {routes} in {database} on {instance}.",
            routes=tuple(names),
            database=MSDB,
            instance=end.instance,
        )
    return say("Shorten the way: send {service} more directly.", service=journey.conversation.to_service)


_Words = Callable[[Journey, JourneyEnd], Sentence]
WHY: dict[str, _Words] = {
    NO_ROUTE: _no_route,
    SERVICE_NOT_FOUND: _not_found,
    ROUTE_REQUESTED: _requested,
    NO_PRINCIPAL: _no_principal,
    NOT_AN_ADDRESS: _not_an_address,
    FORWARDING_DISABLED: _forwarding_off,
    HOP_LIMIT: _too_many_hops,
}
NEXT_STEP: dict[str, _Words] = {
    NO_ROUTE: _create_route,
    ROUTE_REQUESTED: _look_at_dynamic,
    NO_PRINCIPAL: _look_at_partners,
    NOT_AN_ADDRESS: _create_before_transport,
    FORWARDING_DISABLED: _switch_forwarding_on,
    HOP_LIMIT: _break_circle,
}

"""An outcome in an operator's words: where it ends, why, what that means, and what to do about it."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from brokerui.analysis.explanations.local_address import is_local, local_place, local_sentences
from brokerui.analysis.explanations.locating_remedy import locating_remedy
from brokerui.analysis.explanations.tried_advice import hop_of, outcomes_with_advice, with_reason_untried
from routing.common.names import DYNAMIC_ROUTING_SERVICE, MSDB
from routing.common.sentence import Sentence, say, say_counted
from routing.lint.facts import addresses_beside, corrected, host_meant, host_of
from routing.model.address import parse_network_address
from routing.model.estate import Estate
from routing.rules.decision import (
    DELAYED,
    DELIVERED,
    DROPPED,
    EXITS,
    FORWARDING_DISABLED,
    HOP_LIMIT,
    NO_PRINCIPAL,
    NO_ROUTE,
    NOT_AN_ADDRESS,
    ROUTE_REQUESTED,
    SERVICE_NOT_FOUND,
    Outcome,
)
from routing.rules.journey_account import Journey, JourneyEnd
from routing.rules.reason_words import REASON_WORDS
from routing.rules.suppositions import Supposition

LONGEST_RETRY = 64
"""Seconds: the longest pause before a message is matched or sent again (MATCH-7, retries)."""
LOCATED_BY = ("LOC-1", "LOC-2")
CHOSEN_BY = ("CHOOSE-1", "CHOOSE-3", "CHOOSE-4")
"""The rules that choose a route which leads away from its instance."""


def place(outcome: Outcome, journey: Journey) -> Sentence:
    """Where it ends, in a few words."""
    kind, instance, detail = outcome
    if kind == DELIVERED:
        return say("{database} on {instance}", database=detail, instance=instance)
    if kind == EXITS:
        return local_place(outcome) if is_local(outcome) else say("out of the estate to {address}", address=detail)
    if kind == DELAYED:
        return say("waiting in {database} on {instance}", database=journey.conversation.database, instance=instance)
    return say("dropped at {instance}", instance=instance)


def site(outcome: Outcome, journey: Journey) -> Sentence:
    """Where it ends, beside a word that says how."""
    kind, instance, detail = outcome
    if kind == EXITS:
        return local_place(outcome) if is_local(outcome) else say("to {address}, outside this estate", address=detail)
    if kind == DELAYED:
        return say("in {database} on {instance}", database=journey.conversation.database, instance=instance)
    return say("at {instance}", instance=instance) if kind == DROPPED else place(outcome, journey)


def outcome_sentences(
    journey: Journey, end: JourneyEnd, estate: Estate, supposed: tuple[Supposition, ...] = ()
) -> tuple[Sentence, ...]:
    """Say the outcome and its reason, and the next step where the message is not delivered."""
    kind, instance, detail = end.outcome
    if kind == DELIVERED:
        return (say("Delivered to {database} on {instance}.", database=detail, instance=instance),)
    if kind == EXITS:
        return exit_sentences(journey, end.outcome, estate)
    if supposed and detail in (SERVICE_NOT_FOUND, NO_PRINCIPAL):
        return why(journey, end), meaning(journey, end), *(sentence for one in supposed for sentence in if_it_is(one))
    return why(journey, end), meaning(journey, end), remedy(journey, end, estate)


def if_it_is(supposed: Supposition) -> Iterator[Sentence]:
    """Under which unknown fact it is delivered, and what would tell it."""
    facts = {"database": supposed.database, "instance": supposed.instance, "identifier": supposed.identifier}
    if supposed.identifier is None:
        yield say("Delivered to {database} on {instance} if it is the principal, which is not known.", **facts)
    elif supposed.is_role_unknown:
        yield say(
            "Delivered to {database} on {instance} if it is the principal and its identifier is {identifier}; neither "
            "is known.",
            **facts,
        )
    else:
        yield say(
            "Delivered to {database} on {instance} if its identifier is {identifier}; its identifier is not known.",
            **facts,
        )
    if supposed.is_only:
        yield say("Most likely it is meant: no other database of {instance} comes into question.", **facts)
    yield say("To know it, import sys.databases of {instance}.", **facts)


def exit_sentences(journey: Journey, outcome: Outcome, estate: Estate) -> tuple[Sentence, ...]:
    """The estate ends where no instance of it listens: another is there, or the address is wrong."""
    if is_local(outcome):
        return local_sentences(journey, outcome, estate)
    address = parse_network_address(outcome.detail)
    leaves = say(
        "It leaves {instance} for {address}: no instance of this estate listens there.",
        instance=outcome.instance,
        address=outcome.detail,
    )
    if (meant := host_meant(address)) is not None:
        known = [one for one in estate.instances.values() if any(host_of(a) == meant for a in one.addresses)]
        return leaves, say(
            "{address} can never be reached: the port comes after a colon, and no instance name is in it. Correct the "
            "address of the route to {right}.",
            address=outcome.detail,
            right=corrected(address, meant, known).key,
        )
    neighbours = addresses_beside(estate, outcome.detail)
    if not neighbours:
        return leaves, say("Import that instance to see further.")
    return leaves, say(
        "On that host, this estate has {addresses}: correct the address of the route, or import what listens there.",
        addresses=neighbours,
    )


def short_reason(reason: str) -> Sentence:
    """The reason in two or three words, for a picture."""
    return REASON_WORDS[reason]


def meaning(journey: Journey, end: JourneyEnd) -> Sentence:
    """Say what DELAYED and dropped mean for the messages."""
    if end.outcome.kind == DELAYED:
        return say(
            "The conversation is DELAYED: its messages wait in {database} and are retried automatically, at least "
            "every {seconds} s and at once when the routes change.",
            database=journey.conversation.database,
            seconds=LONGEST_RETRY,
        )
    return say("The sender is not notified; it resends the message, at least every {seconds} s.", seconds=LONGEST_RETRY)


def why(journey: Journey, end: JourneyEnd) -> Sentence:
    """Why it is delayed or dropped."""
    return _WHY[end.outcome.detail](journey, end)


def remedy(journey: Journey, end: JourneyEnd, estate: Estate) -> Sentence:
    """Return the administrator's next step for an outcome, with its result where the engine can try it."""
    if end.outcome.detail == SERVICE_NOT_FOUND:
        advice = locating_remedy(journey, hop_of(journey, end), estate)
    else:
        advice = _REMEDY[end.outcome.detail](journey, end)
    after = outcomes_with_advice(journey, end, estate)
    if not after:
        return with_reason_untried(advice, journey, end, estate)
    places = tuple(place(outcome, journey) for outcome in after)
    if all(outcome.kind == DELIVERED for outcome in after):
        return say("{advice} With that: delivered in {places}.", advice=advice, places=places)
    return say("{advice} With that alone: {places}.", advice=advice, places=places)


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
_WHY: dict[str, _Words] = {
    NO_ROUTE: _no_route,
    SERVICE_NOT_FOUND: _not_found,
    ROUTE_REQUESTED: _requested,
    NO_PRINCIPAL: _no_principal,
    NOT_AN_ADDRESS: _not_an_address,
    FORWARDING_DISABLED: _forwarding_off,
    HOP_LIMIT: _too_many_hops,
}
_REMEDY: dict[str, _Words] = {
    NO_ROUTE: _create_route,
    ROUTE_REQUESTED: _look_at_dynamic,
    NO_PRINCIPAL: _look_at_partners,
    NOT_AN_ADDRESS: _create_before_transport,
    FORWARDING_DISABLED: _switch_forwarding_on,
    HOP_LIMIT: _break_circle,
}

"""An outcome in an operator's words: where it ends, why, what that means, and what to do about it."""

from __future__ import annotations

from collections.abc import Iterator

from brokerui.analysis.explanations.local_address import is_local, local_place, local_sentences
from brokerui.analysis.explanations.locating_remedy import locating_remedy
from brokerui.analysis.explanations.reason_wording import NEXT_STEP, WHY
from brokerui.analysis.explanations.tried_advice import hop_of, outcomes_with_advice, with_reason_untried
from routing.common.sentence import Sentence, say
from routing.lint.facts import addresses_beside, corrected, host_of
from routing.lint.impossible_hosts import ImpossibleHost, impossible_host
from routing.model.address import Address, parse_network_address
from routing.model.estate import Estate
from routing.rules.decision import (
    DELAYED,
    DELIVERED,
    DROPPED,
    EXITS,
    NO_PRINCIPAL,
    SERVICE_NOT_FOUND,
    Outcome,
)
from routing.rules.journey_account import Journey, JourneyEnd
from routing.rules.reason_words import REASON_WORDS
from routing.rules.suppositions import Supposition

LONGEST_RETRY = 64
"""Seconds: the longest pause before a message is matched or sent again (MATCH-7, retries)."""


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
    if (impossible := impossible_host(address)) is not None:
        return leaves, _never_reached(address, impossible, estate)
    neighbours = addresses_beside(estate, outcome.detail)
    if not neighbours:
        return leaves, say("Import that instance to see further.")
    return leaves, say(
        "On that host, this estate has {addresses}: correct the address of the route, or import what listens there.",
        addresses=neighbours,
    )


def _never_reached(address: Address, impossible: ImpossibleHost, estate: Estate) -> Sentence:
    values = {"address": address.key, "why": impossible.why}
    if (meant := impossible.meant) is None:
        return say("{address} can never be reached: {why}. Correct the address of the route.", **values)
    known = [one for one in estate.instances.values() if any(host_of(a) == meant for a in one.addresses)]
    return say(
        "{address} can never be reached: {why}. Correct the address of the route to {right}.",
        **values,
        right=corrected(address, meant, known).key,
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
    return WHY[end.outcome.detail](journey, end)


def remedy(journey: Journey, end: JourneyEnd, estate: Estate) -> Sentence:
    """Return the administrator's next step for an outcome, with its result where the engine can try it."""
    if end.outcome.detail == SERVICE_NOT_FOUND:
        advice = locating_remedy(journey, hop_of(journey, end), estate)
    else:
        advice = NEXT_STEP[end.outcome.detail](journey, end)
    after = outcomes_with_advice(journey, end, estate)
    if not after:
        return with_reason_untried(advice, journey, end, estate)
    places = tuple(place(outcome, journey) for outcome in after)
    if all(outcome.kind == DELIVERED for outcome in after):
        return say("{advice} With that: delivered in {places}.", advice=advice, places=places)
    return say("{advice} With that alone: {places}.", advice=advice, places=places)

"""Sentences about a route's address that means the sending instance's own machine, such as `localhost`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from routing.common.sentence import Sentence, say
from routing.lint.facts import host_of
from routing.lint.loopback import is_loopback, listener_at, listener_sentence
from routing.model.address import Address, parse_network_address
from routing.model.estate import Estate
from routing.rules.decision import DELIVERED, DROPPED, EXITS, Outcome
from routing.rules.journey import Journeys
from routing.rules.journey_account import Journey


def is_local(outcome: Outcome) -> bool:
    """True if a message leaves its instance for an address of the same machine."""
    return outcome.kind == EXITS and is_loopback(host_of(parse_network_address(outcome.detail)))


def local_place(outcome: Outcome) -> Sentence:
    """Where such a message goes, in a few words."""
    return say("to {address} on the machine of {instance}", address=outcome.detail, instance=outcome.instance)


def local_sentence(outcome: Outcome, estate: Estate) -> Sentence:
    """The instance that listens there, as far as the estate tells."""
    return listener_sentence(estate, estate.instances[outcome.instance], parse_network_address(outcome.detail))


def local_sentences(journey: Journey, outcome: Outcome, estate: Estate) -> tuple[Sentence, ...]:
    """The instance that listens there, as far as the estate tells, and the outcome of the message then."""
    address = parse_network_address(outcome.detail)
    return local_sentence(outcome, estate), *_then(journey, outcome, estate, address)


def _then(journey: Journey, outcome: Outcome, estate: Estate, address: Address) -> Iterator[Sentence]:
    """The end of the conversation with the address at the only instance that may have it."""
    listener = listener_at(estate, estate.instances[outcome.instance], address)
    names = (outcome.instance,) if listener.is_own else listener.beside or listener.known or listener.assumed
    if len(names) != 1:
        return
    there = estate.instances[names[0]]
    known = estate.with_instance(replace(there, addresses=(*there.addresses, address)))
    ends = set(Journeys(known, journey.at).outcomes(journey.conversation)) - set(journey.outcomes)
    if len(ends) == 1:
        yield _with_it(ends.pop())


def _with_it(end: Outcome) -> Sentence:
    if end.kind == DELIVERED:
        return say(
            "With that, it is delivered to {database} on {instance}.", database=end.detail, instance=end.instance
        )
    if end.kind == EXITS:
        return say("With that, it goes on to {address}.", address=end.detail)
    if end.kind == DROPPED:
        return say("With that, it is dropped at {instance}.", instance=end.instance)
    return say("With that, it waits at {instance}.", instance=end.instance)

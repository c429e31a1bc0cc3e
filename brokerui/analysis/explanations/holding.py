"""The obstacle of a conversation's messages, and what routing does with them without it: one sentence.

*Delayed*, *Where does it go?* and REST say it with this function, so that they agree about one conversation. Pure:
imports only `routing`.
"""

from __future__ import annotations

from dataclasses import dataclass

from brokerui.analysis.explanations.outcome_wording import short_reason
from routing.common.sentence import Sentence, say
from routing.model.estate import Estate
from routing.rules.decision import DELAYED, DELIVERED, EXITS, Outcome
from routing.rules.explanation import Explanation
from routing.runtime.decision_cache import BROKER_DISABLED, DATABASE_IS_MIRROR, STATUS_OF_REASON

OF_ROUTING = frozenset((*STATUS_OF_REASON.values(), 9750, 9795))
"""Transmission statuses that routing gives; all others stand before routing or behind it."""
OF_SENDER = frozenset((BROKER_DISABLED, DATABASE_IS_MIRROR))
MAX_PLACES = 3
"""Places that are named of the ends of a conversation."""


@dataclass(frozen=True, slots=True)
class Hold:
    """Why the first message of a conversation that waits does."""

    number: int
    """`transmission_status`, a number of SQL Server's; 0: no reason is known."""
    cause: str
    """The reason in the reader's language; empty if it is not known."""


def holding(hold: Hold, explanation: Explanation, estate: Estate) -> Sentence:
    """Name the obstacle of the messages, then what routing does."""
    goes = routing_does(explanation)
    if not hold.number:
        return _unacknowledged(explanation, estate, goes)
    facts = {"cause": hold.cause, "goes": goes}
    if hold.number not in OF_ROUTING:
        if hold.number in OF_SENDER:
            return say("{cause} Nothing is sent until that is mended; then {goes}.", **facts)
        return say("{cause} Routes play no part in it: once that is mended, {goes}.", **facts)
    if any(_says_the_same(hold.number, end) for end in explanation.forward.outcomes):
        return say("{cause} That still holds: {goes}.", **facts)
    return say("When it was last tried: {cause} That has changed since: at the next attempt, {goes}.", **facts)


def _says_the_same(number: int, end: Outcome) -> bool:
    if end.kind in (DELIVERED, EXITS):
        return False
    # Both numbers mean that nobody has the service: 9793 no route leads to it, 9795 and 9796 it is not where one leads.
    alike = frozenset((9750, 9793, 9795, 9796))
    now = STATUS_OF_REASON[end.detail]
    return now == number or (now in alike and number in alike)


def _unacknowledged(explanation: Explanation, estate: Estate, goes: Sentence) -> Sentence:
    off = _queues_off(explanation, estate)
    if off:
        return say(
            "The queue {queue} of the target is off, so it takes nothing. Once it is on, {goes}.", queue=off, goes=goes
        )
    lost = [end for end in explanation.forward.outcomes if end.kind not in (DELIVERED, EXITS)]
    if lost:
        return say("Sent, and no acknowledgement came: {goes}.", goes=goes)
    if explanation.returns and not any(back.may_arrive for back in explanation.returns):
        return say(
            "Sent, and no acknowledgement came: {goes}, and its acknowledgements do not find their way back.", goes=goes
        )
    return say(
        "Sent, and no acknowledgement came yet: {goes}. Routes do not hold it; look at the other server and the network"
        " between.",
        goes=goes,
    )


def _queues_off(explanation: Explanation, estate: Estate) -> tuple[str, ...]:
    """The queues of the service in all databases that it is delivered to, if every one is off."""
    service = explanation.forward.conversation.to_service
    found: list[str] = []
    for end in explanation.forward.outcomes:
        if end.kind != DELIVERED:
            return ()
        database = estate.instances[end.instance].databases[end.detail]
        names = {one.queue for one in database.services if one.name == service}
        off = [queue.name for queue in database.queues if queue.name in names and not queue.enabled]
        if not off:
            return ()
        found += [f"{name} ({end.detail}, {end.instance})" for name in off]
    return tuple(found[:MAX_PLACES])


def routing_does(explanation: Explanation) -> Sentence:
    """Return `routing delivers it in D on host`: the end of a sentence."""
    ends = [_end(outcome, explanation) for outcome in explanation.forward.outcomes]
    if len(ends) == 1:
        return say("routing {end}", end=ends[0])
    if len(ends) <= MAX_PLACES:
        return say("routing takes one of several ways and {ends}", ends=_either(ends))
    return say("routing takes one of {count} ways; in one it {end}", count=len(ends), end=ends[0])


def _either(ends: list[Sentence]) -> Sentence:
    sentence = ends[0]
    for other in ends[1:]:
        sentence = say("{one} or {other}", one=sentence, other=other)
    return sentence


def _end(outcome: Outcome, explanation: Explanation) -> Sentence:
    kind, instance, detail = outcome
    if kind == DELIVERED:
        return say("delivers it in {database} on {instance}", database=detail, instance=instance)
    if kind == EXITS:
        return say("sends it to {address}, which is no instance of this estate", address=detail)
    database = explanation.forward.conversation.database
    facts = {"database": database, "instance": instance, "reason": short_reason(detail)}
    if kind == DELAYED:
        return say("keeps it in {database} on {instance} ({reason})", **facts)
    return say("drops it at {instance} ({reason})", **facts)

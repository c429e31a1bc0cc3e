"""Transmission statuses by their giver, and what routing does with messages that wait. Pure."""

from __future__ import annotations

from brokerui.analysis.explanations.outcome_wording import short_reason
from routing.common.sentence import Sentence, say
from routing.rules.decision import DELAYED, DELIVERED, EXITS, Outcome
from routing.rules.explanation import Explanation
from routing.runtime.decision_cache import BROKER_DISABLED, DATABASE_IS_MIRROR, STATUS_OF_REASON

OF_ROUTING = frozenset((*STATUS_OF_REASON.values(), 9750, 9795))
"""Transmission statuses that routing gives; all others stand before routing or behind it."""
OF_SENDER = frozenset((BROKER_DISABLED, DATABASE_IS_MIRROR))
OF_CONNECTION = frozenset((9748, 9751, 9752, 9754, 9755, 9756, 9757, 9758, 9759, 9783))
"""Nothing can be sent to the next hop: no endpoint, a refused login, a failed connection, a name that is not found."""
MAX_PLACES = 3
"""Places that are named of the ends of a conversation."""


def says_the_same(number: int, end: Outcome) -> bool:
    """Whether an end of a conversation is the one that a transmission status of routing names."""
    if end.kind in (DELIVERED, EXITS):
        return False
    # Both numbers mean that nobody has the service: 9793 no route leads to it, 9795 and 9796 it is not where one leads.
    alike = frozenset((9750, 9793, 9795, 9796))
    now = STATUS_OF_REASON[end.detail]
    return now == number or (now in alike and number in alike)


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

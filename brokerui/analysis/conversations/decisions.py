"""Decisions of routing about the messages of a conversation, by the estate as it was then, beside the answer of now."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from django.utils import timezone

from brokerui.analysis.conversations.sides import ConversationSide, ConversationSides, Kept
from brokerui.analysis.explanations.hop_wording import hop_decides
from brokerui.analysis.explanations.outcome_wording import place
from brokerui.analysis.monitoring.held import by_handle, conversation_of, explanation_at
from brokerui.estate.errors import VersionNotFoundError
from brokerui.estate.selectors import LiveEstate, estate_as_of, estate_current
from routing.common.moment import from_milliseconds
from routing.common.sentence import Sentence
from routing.model.conversation import Conversation
from routing.rules.explanation import Explanation
from routing.rules.trace import RuleStep

OWN: Final = (Kept.TO_SEND, Kept.SENT_COPY)
CAME: Final = (Kept.NOT_READ, Kept.INCOMPLETE, Kept.READ_COPY)


@dataclass(frozen=True, slots=True)
class RoutingAnswer:
    """The decision of a sender's instance, and where the messages end."""

    version: int
    decides: tuple[Sentence, ...]
    ends: tuple[Sentence, ...]
    steps: tuple[RuleStep, ...]
    """The rules that decided, with their reasons."""


@dataclass(frozen=True, slots=True)
class PastDecision:
    """The answer for a message that a side sent."""

    side: ConversationSide
    number: int
    at: datetime
    then: RoutingAnswer
    now: RoutingAnswer | None
    """Where it differs from that of then."""


def decisions_of(conversation: ConversationSides) -> tuple[PastDecision, ...]:
    """Return the decisions for the first and the last known message of each side, one where both have one version."""
    rows = by_handle([side.handle for side in conversation.sides])
    live, found = estate_current(), []
    for side in conversation.sides:
        row = rows.get((side.instance, side.handle))
        if row is not None:
            found += list(_of_side(conversation, side, conversation_of(side.instance, row), live))
    return tuple(found)


def _of_side(
    conversation: ConversationSides, side: ConversationSide, conversation_class: Conversation, live: LiveEstate
) -> Iterator[PastDecision]:
    now = _answer(live, conversation_class, timezone.now())
    seen: set[int] = set()
    for moment, number in _ends_of(_sent(conversation, side)):
        at = from_milliseconds(moment)
        try:
            then = _answer(estate_as_of(at=at), conversation_class, at)
        except VersionNotFoundError:
            continue
        if then is not None and then.version not in seen:
            seen.add(then.version)
            is_other = now is not None and (now.decides, now.ends) != (then.decides, then.ends)
            yield PastDecision(side, number, at, then, now if is_other else None)


def _sent(conversation: ConversationSides, side: ConversationSide) -> list[tuple[int, int]]:
    """The moment and the number of each message of a side: when it was written, or when it came to the other side."""
    other = next((one for one in conversation.sides if one is not side), None)
    own = [(message.since, message.number) for message in side.of_kind(*OWN)]
    return sorted(own + [(one.since, one.number) for one in (other.of_kind(*CAME) if other else [])])


def _ends_of(sent: list[tuple[int, int]]) -> list[tuple[int, int]]:
    return [sent[0], sent[-1]] if sent else []


def _answer(estate: LiveEstate, conversation_class: Conversation, at: datetime) -> RoutingAnswer | None:
    here = estate.estate.instances.get(conversation_class.instance)
    if here is None or conversation_class.database not in here.databases:
        return None
    return _in_words(estate.version, explanation_at(estate, conversation_class, at))


def _in_words(version: int, explanation: Explanation) -> RoutingAnswer:
    journey = explanation.forward
    hop = journey.hops[0]
    ends = tuple(place(end.outcome, journey) for end in journey.ends)
    return RoutingAnswer(version, hop_decides(hop), ends, tuple(step for step in hop.steps if step.taken))

"""The conversations that stand for a row of an effect, and what becomes of the answers to them."""

from __future__ import annotations

from datetime import datetime

from brokerui.analysis.effect.rows import EffectRow
from routing.classes.traffic_class import UNKNOWN_IDENTIFIER, UNKNOWN_SERVICE
from routing.common.errors import Invalid
from routing.diff.result import DiffGroup
from routing.model.conversation import Conversation
from routing.model.estate import Estate
from routing.rules.explanation import Explanation, explain

NOWHERE_SERVICE = "//occurs/nowhere"
NOWHERE_IDENTIFIER = "ffffffff-ffff-4fff-bfff-ffffffffffff"
ALL, SOME, NONE = "all", "some", "none"


def conversation_of(row: EffectRow, group: DiffGroup | None = None) -> Conversation:
    """Return a conversation of the row, of its first entry point and (unless another is given) first identifier."""
    traffic = (group or row.groups[0]).traffic
    identifier = traffic.to_broker_instance
    return Conversation(
        *row.entries[0],
        to_service=traffic.to_service.replace(UNKNOWN_SERVICE, NOWHERE_SERVICE),
        to_broker_instance=NOWHERE_IDENTIFIER if identifier == UNKNOWN_IDENTIFIER else identifier,
        is_reply=traffic.is_reply,
    )


def explained(estate: Estate, conversation: Conversation, at: datetime) -> Explanation | None:
    """Return the explanation; None where the estate has no such entry point."""
    try:
        conversation.check(estate)
    except Invalid:
        return None
    return explain(estate, conversation, at)


def answers_back(explanation: Explanation | None) -> str | None:
    """Return how many acknowledgements and replies come back: `all`, `some` or `none`; None: nothing is to come."""
    if explanation is None or explanation.forward.conversation.is_reply or not explanation.returns:
        return None
    if all(path.arrives for path in explanation.returns):
        return ALL
    return SOME if any(path.may_arrive for path in explanation.returns) else NONE

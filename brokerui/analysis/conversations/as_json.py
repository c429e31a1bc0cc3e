"""The history of a conversation as values for programs: REST, and `brokerui conversation history`."""

from __future__ import annotations

from typing import Any, Final

from django.utils.translation import gettext, ngettext

from brokerui.analysis.conversations.decisions import PastDecision, RoutingAnswer, decisions_of
from brokerui.analysis.conversations.past import past_of
from brokerui.analysis.conversations.sides import ConversationSide, ConversationSides, sides_of
from brokerui.analysis.conversations.timeline import TimelineEntry, timeline
from brokerui.eventlog.recording import is_logged
from brokerui.messaging.clock import now
from routing.common.moment import format_moment, from_milliseconds
from routing.common.sentence import Sentence, translator

INITIATOR: Final = "initiator"
TARGET: Final = "target"
translate = translator(gettext, ngettext)


def history_as_json(handle: str, portions: int) -> dict[str, Any]:
    """The timeline of both sides, and the decisions of routing by the versions of then. `portions` of the event log are
    looked through. Raises `VerbError` (8426)."""
    conversation, at = sides_of(handle), now()
    past = past_of(conversation, portions)
    entries = timeline(conversation, past.trouble, at, past.entries)
    return {
        "conversation_id": conversation.conversation_id,
        "sides": [_side(side) for side in conversation.sides],
        "entries": [_entry(entry, conversation) for entry in entries],
        "decisions": [_decision(one) for one in decisions_of(conversation)],
        "is_logged": is_logged(),
        "log_since": None if past.since is None else _moment(past.since),
        "is_whole_log": past.is_all,
    }


def _side(side: ConversationSide) -> dict[str, Any]:
    return {
        "side": INITIATOR if side.is_initiator else TARGET,
        "instance": side.instance,
        "database": side.database,
        "conversation_handle": side.handle,
        "service": side.service,
        "state": side.state,
        "to_send": side.to_send,
        "acknowledged": side.acknowledged,
        "received": side.received,
    }


def _entry(entry: TimelineEntry, conversation: ConversationSides) -> dict[str, Any]:
    side = conversation.initiator if entry.on_initiator else conversation.target
    return {
        "at": _moment(entry.at),
        "kind": entry.kind.value,
        "side": INITIATOR if entry.on_initiator else TARGET,
        "instance": None if side is None else side.instance,
        "says": entry.says.render(translate),
        "note": entry.note.render(translate) if isinstance(entry.note, Sentence) else entry.note,
        "wire": entry.wire.value or None,
        "follows": entry.follows,
    }


def _decision(one: PastDecision) -> dict[str, Any]:
    return {
        "side": INITIATOR if one.side.is_initiator else TARGET,
        "message_sequence_number": one.number,
        "at": format_moment(one.at),
        "then": _answer(one.then),
        "now": None if one.now is None else _answer(one.now),
    }


def _answer(answer: RoutingAnswer) -> dict[str, Any]:
    return {
        "version": answer.version,
        "decides": [words.render(translate) for words in answer.decides],
        "ends": [words.render(translate) for words in answer.ends],
        "rules": [{"rule": step.rule, "says": step.says.render(translate)} for step in answer.steps],
    }


def _moment(at: int) -> str:
    return format_moment(from_milliseconds(at))

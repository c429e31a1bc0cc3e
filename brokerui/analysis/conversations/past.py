"""The past of a conversation beyond its kept messages: exceptional events, and the event log, if wanted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from django.conf import settings

from brokerui.analysis.conversations.history import history
from brokerui.analysis.conversations.sides import ConversationSides
from brokerui.analysis.conversations.timeline import TimelineEntry, TroubleEvent
from brokerui.analysis.conversations.trouble import trouble_of
from brokerui.eventlog.reading import logged_events
from brokerui.eventlog.recording import is_logged
from brokerui.messaging.transmission_status import problem_words

MOST_PORTIONS: Final = 10
"""Portions of the event log that one request looks through."""


@dataclass(frozen=True, slots=True)
class ConversationPast:
    """Entries from the event log, and the exceptional events that these do not have."""

    entries: Sequence[TimelineEntry]
    trouble: Sequence[TroubleEvent]
    since: int | None = None
    """When the oldest file was begun that was looked through; None: none was."""
    is_all: bool = False


def past_of(conversation: ConversationSides, portions: int) -> ConversationPast:
    """Look through this number of portions of the event log; none where it is off."""
    trouble = trouble_of(conversation.conversation_id)
    if not portions or not is_logged():
        return ConversationPast((), trouble)
    handles = frozenset(side.handle for side in conversation.sides)
    found = logged_events(settings.EVENT_LOG_FOLDER, conversation.conversation_id, handles, portions)
    entries = history(conversation, found.events, problem_words)
    since = found.since
    earlier = [event for event in trouble if since is None or event.first_at < since]
    return ConversationPast(entries, earlier, since, found.is_all)

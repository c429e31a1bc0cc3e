"""Exceptional events that name a conversation, from the event tables."""

from __future__ import annotations

from typing import Final

from brokerui.analysis.conversations.timeline import TroubleEvent
from brokerui.eventlog.exceptional import why_exceptional
from brokerui.eventlog.models import ExceptionalEvent
from brokerui.eventlog.selectors import Filter, event_name, exceptional_page

MOST: Final = 50


def trouble_of(conversation_id: str) -> tuple[TroubleEvent, ...]:
    """Return the latest events. Events that are alike are one row, which names one of their conversations only."""
    page = exceptional_page(Filter(conversation_id=conversation_id), limit=MOST)
    return tuple(_event(row) for row in page.rows)


def _event(row: ExceptionalEvent) -> TroubleEvent:
    why = why_exceptional(row.event_class, row.event_subclass, row.error)
    words = " ".join(filter(None, (event_name(row.event_class), str(row.error or ""), why and f"({why})")))
    return TroubleEvent(row.instance, row.first_at, row.last_at, row.occurrences, words)

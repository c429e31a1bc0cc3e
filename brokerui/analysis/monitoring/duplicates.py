"""Messages that came again (11218): the sign that acknowledgements do not get back to their sender."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from brokerui.eventlog.models import ExceptionalEvent
from brokerui.eventlog.selectors import DUPLICATES, Filter, counted_by_database, exceptional_page
from brokerui.messaging.models import ConversationEndpoint

SPAN_MS: Final = 3_600_000
"""How far back duplicates are counted: an hour, in milliseconds."""

MOST_DATABASES: Final = 20
"""Databases that are shown: each takes two queries."""


@dataclass(frozen=True, slots=True)
class Duplicates:
    """Duplicates that arrived in a database within the last hour."""

    instance: str
    database: str
    messages: int
    example: ConversationEndpoint | None
    """The receiving side of a conversation that had one; None: it is not known, or has gone."""


def duplicates_by_database(now_ms: int) -> list[Duplicates]:
    """Return the databases in which messages came again, those with most first."""
    counts = counted_by_database(DUPLICATES, since=now_ms - SPAN_MS, until=now_ms)
    most = sorted(counts.items(), key=lambda one: (-one[1], one[0]))[:MOST_DATABASES]
    return [Duplicates(*place, count, _example(*place, now_ms)) for place, count in most]


def _example(instance: str, database: str, now_ms: int) -> ConversationEndpoint | None:
    (error,) = DUPLICATES.errors
    wanted = Filter(instance, database, DUPLICATES.event_class, error, since=now_ms - SPAN_MS)
    rows: tuple[ExceptionalEvent, ...] = tuple(exceptional_page(wanted, limit=1).rows)
    endpoints = ConversationEndpoint.objects.filter(
        instance__name=instance, database=database, conversation_id__in=[row.conversation_id for row in rows]
    )
    return endpoints.first()

"""Conversations of hosted instances whose lifetime ends, and dialog timers that fire, within a time."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from django.db.models import Count, Min, Q, QuerySet

from brokerui.messaging.models import ConversationEndpoint
from routing.dialog.states import CD


class ExpiringConversations(NamedTuple):
    """Conversations of one service with the same kind of end."""

    instance: str
    database: str
    service: str
    number: int
    first: int
    """The earliest, in milliseconds since 1970."""


class ConversationEnds(NamedTuple):
    """Lifetimes and timers that end within a time, the earliest first."""

    lifetimes: Sequence[ExpiringConversations]
    """Open conversations whose lifetime ends: the broker then ends each with an error at both sides."""
    timers: Sequence[ExpiringConversations]
    """Dialog timers that fire: each puts a message into the queue of its own service."""


def conversation_ends(at: int, until: int) -> ConversationEnds:
    """Return both, by service: one look at the conversations, which are many."""
    lifetimes = Q(lifetime__gt=at, lifetime__lte=until) & ~Q(state=CD)
    timers = Q(dialog_timer__gt=at, dialog_timer__lte=until)
    by = _due(until).filter(lifetimes | timers).values_list("instance__name", "database", "service_name").order_by()
    rows = by.annotate(
        ending=Count("conversation_handle", filter=lifetimes),
        first_end=Min("lifetime", filter=lifetimes),
        firing=Count("conversation_handle", filter=timers),
        first_timer=Min("dialog_timer", filter=timers),
    )
    found = list(rows)
    return ConversationEnds(
        _first((*place, ending, first) for *place, ending, first, _firing, _timer in found if ending),
        _first((*place, firing, first) for *place, _ending, _end, firing, first in found if firing),
    )


def _due(until: int) -> QuerySet[ConversationEndpoint]:
    """Endpoints with anything due until then: the condition repeats that of an index, which has no others."""
    return ConversationEndpoint.objects.filter(Q(due__isnull=False), due__lte=until)


def _first(rows: Iterable[tuple[Any, ...]]) -> list[ExpiringConversations]:
    found = [ExpiringConversations(*row) for row in rows]
    return sorted(found, key=lambda one: (one.first, one.instance, one.database, one.service))

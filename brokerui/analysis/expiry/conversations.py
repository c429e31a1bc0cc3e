"""Conversations of hosted instances whose lifetime ends, and dialog timers that fire, within a time."""

from __future__ import annotations

from collections.abc import Sequence
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


def ending_lifetimes(at: int, until: int) -> Sequence[ExpiringConversations]:
    """Open conversations whose lifetime ends: the broker then ends each with an error at both sides."""
    rows = _due(until).exclude(state=CD).filter(lifetime__gt=at, lifetime__lte=until)
    return _by_service(rows, "lifetime")


def firing_timers(at: int, until: int) -> Sequence[ExpiringConversations]:
    """Dialog timers that fire: each puts a message into the queue of its own service."""
    return _by_service(_due(until).filter(dialog_timer__gt=at, dialog_timer__lte=until), "dialog_timer")


def _due(until: int) -> QuerySet[ConversationEndpoint]:
    """Endpoints with anything due until then: the condition repeats that of an index, which has no others."""
    return ConversationEndpoint.objects.filter(Q(due__isnull=False), due__lte=until)


def _by_service(rows: QuerySet[Any], column: str) -> list[ExpiringConversations]:
    by = rows.values_list("instance__name", "database", "service_name")
    found = by.annotate(number=Count("conversation_handle"), first=Min(column)).order_by("first", "instance__name")
    return [ExpiringConversations(*row) for row in found]

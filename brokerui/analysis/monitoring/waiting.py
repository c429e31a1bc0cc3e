"""All conversations with messages to send now, grouped by the reason for which they wait.

Counting hundred thousands of conversations takes longer than a request may: then it is done beside the requests, and
pages show the last count with its time.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final, NamedTuple

from django.db.models import BooleanField, Count, ExpressionWrapper, Max, Min, Q, QuerySet, Sum

from brokerui.analysis.monitoring.arrived import ArrivedGroup, arrived_of
from brokerui.core.commit_mark import commit_mark
from brokerui.core.deferred import NotReadyError, defer
from brokerui.core.lasting import passes
from brokerui.messaging.broker_cache import hosted_names
from brokerui.messaging.models import ConversationEndpoint, HostedInstance

MANY: Final = 20_000
"""Conversations that take longer to count than a request should."""
IN_INDEX: Final = Q(may_wait=True)
"""The condition of the index of waiting conversations: databases use the index where a query repeats it. Those whose
messages have just left are in it too."""
FRESH_SECONDS: Final = 4.0
"""For which a count of many is shown without counting again."""


class WaitingGroup(NamedTuple):
    """Conversations of a database with a service, whose messages wait for one reason."""

    instance: str
    database: str
    service: str
    """For which the messages are."""
    cause: int
    """`transmission_status`, a number of the product's; 0: no reason is known."""
    is_tried: bool
    """Whether something failed already, or was not acknowledged in time."""
    conversations: int
    messages: int
    attempts: int
    """Failed attempts of the conversation that was tried most often."""
    next_attempt: int | None
    """Time of the earliest next attempt, in milliseconds since 1970."""
    handle: str
    """One of them."""
    last_attempt: int | None = None
    """Time of the latest next attempt."""

    @property
    def is_delayed(self) -> bool:
        """Others are on their way."""
        return self.cause != 0 or self.is_tried


@dataclass(frozen=True, slots=True)
class WaitingMessages:
    """As of a moment."""

    groups: tuple[WaitingGroup, ...]
    arrived: tuple[ArrivedGroup, ...]
    """Messages that arrived for queues of the hosted instances and are in none of them yet."""
    at: datetime
    until: float
    """Seconds during which a count is used again."""

    @property
    def delayed(self) -> list[WaitingGroup]:
        """The largest first."""
        found = [group for group in self.groups if group.is_delayed]
        return sorted(found, key=lambda group: (-group.conversations, group[:4]))


class _Last:
    waiting: WaitingMessages | None = None
    commits: str | None = None
    """The mark of commits as it was before many were counted."""


def waiting_now() -> WaitingMessages:
    """All groups. Raises `NotReadyError` while there are many and they are counted for the first time."""
    known = _Last.waiting
    if known is not None and known.until:
        if _is_current():
            return known
        if time.monotonic() < known.until:
            passes()
            return known
    if (known is not None and known.until) or _are_many():
        try:
            defer("brokerui.analysis.monitoring.waiting", _count_many)
        except NotReadyError:
            if known is None:
                raise
            return known
    return _count()


def waiting_counted() -> WaitingMessages:
    """All groups, counted now, however many there are."""
    return _count()


def forget() -> None:
    """Forget the last count."""
    _Last.waiting, _Last.commits = None, None


def _is_current() -> bool:
    """Whether nothing was committed since they were counted."""
    return _Last.commits is not None and commit_mark() == _Last.commits


def _are_many() -> bool:
    some = ConversationEndpoint.objects.filter(IN_INDEX).values_list("conversation_handle")
    return some[: MANY + 1].count() > MANY


def _count_many() -> None:
    commits = commit_mark()
    _count()
    _Last.commits = commits


def _count() -> WaitingMessages:
    hosted = HostedInstance.objects.filter(name__in=hosted_names())
    names = dict(hosted.values_list("id", "name"))
    groups = tuple(WaitingGroup(names[instance], *figures) for instance, *figures in _rows() if instance in names)
    arrived = arrived_of(ConversationEndpoint.objects.filter(IN_INDEX), names)
    is_many = sum(group.conversations for group in groups) + sum(group.conversations for group in arrived) > MANY
    until = time.monotonic() + FRESH_SECONDS if is_many else 0.0
    _Last.waiting = WaitingMessages(groups, arrived, datetime.now(UTC), until)
    return _Last.waiting


def _rows() -> QuerySet[Any, tuple[Any, ...]]:
    """Return a row for each group: the instance, then the fields of `WaitingGroup`."""
    is_tried = ExpressionWrapper(Q(attempts__gt=0), output_field=BooleanField())
    rows = ConversationEndpoint.objects.filter(IN_INDEX, outgoing__gt=0).annotate(is_tried=is_tried)
    by = rows.values("instance_id", "database", "far_service", "transmission_status", "is_tried").order_by()
    figures = by.annotate(
        conversations=Count("conversation_handle"),
        messages=Sum("outgoing"),
        most=Max("attempts"),
        first=Min("next_attempt"),
        handle=Min("conversation_handle"),
        last=Max("next_attempt"),
    )
    names = ("conversations", "messages", "most", "first", "handle", "last")
    return figures.values_list("instance_id", "database", "far_service", "transmission_status", "is_tried", *names)

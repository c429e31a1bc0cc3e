"""Messages that wait now, and rates of deliveries, as drains count them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple

from django.db.models import Sum

from brokerui.analysis.drains.models import Drain, DrainKind
from brokerui.analysis.monitoring.waiting import IN_INDEX
from brokerui.core.cache import LruCache
from brokerui.eventlog.models import MINUTE, EventCount
from brokerui.eventlog.selectors import ENQUEUED
from brokerui.messaging.models import ConversationEndpoint
from routing.rules.decision import DELIVERED
from routing.rules.explanation import Explanation

HOUR_MS: Final = 3_600_000
MINUTE_MS: Final = 60_000
MANY: Final = 500
"""Counters of an hour that take longer to read than a request should."""
Busiest = Mapping[tuple[str, str], int]
_busiest: LruCache[Busiest] = LruCache(1)


class DrainPlace(NamedTuple):
    """The subject of a drain."""

    kind: str
    instance: str
    database: str
    subject: str

    @classmethod
    def of(cls, drain: Drain) -> DrainPlace:
        return cls(drain.kind, drain.instance, drain.database, drain.subject)


def waiting_there(place: DrainPlace) -> int:
    """Count the messages that wait there now."""
    rows = ConversationEndpoint.objects.filter(IN_INDEX, instance__name=place.instance, database=place.database)
    if place.kind == DrainKind.QUEUE:
        return rows.filter(queue=place.subject).aggregate(sum=Sum("held"))["sum"] or 0
    return rows.filter(far_service=place.subject).aggregate(sum=Sum("outgoing"))["sum"] or 0


def busiest_minutes(now: int) -> Busiest:
    """By instance and database: the messages that arrived there in the busiest minute of the last hour. Of many
    counters, they are read once a minute."""
    known = _busiest.get(now // MINUTE_MS)
    if known is not None:
        return known
    found, counters = _busiest_minutes(now)
    return _busiest.put(now // MINUTE_MS, found) if counters > MANY else found


def forget() -> None:
    """Forget the busiest minutes."""
    _busiest.clear()


def _busiest_minutes(now: int) -> tuple[dict[tuple[str, str], int], int]:
    """And the number of counters."""
    rows = EventCount.objects.filter(
        seconds=MINUTE,
        at__gte=now - HOUR_MS,
        event_class=ENQUEUED.event_class,
        event_subclass__in=ENQUEUED.subclasses,
    )
    found: dict[tuple[str, str], int] = {}
    counters = rows.values_list("instance", "database", "at").annotate(sum=Sum("messages")).order_by()
    for instance, database, _at, messages in counters:
        found[instance, database] = max(messages, found.get((instance, database), 0))
    return found, len(counters)


def targets_of(explanation: Explanation) -> list[tuple[str, str]]:
    """Instance and database of each end that delivers."""
    return [(end.instance, end.detail) for end in explanation.forward.outcomes if end.kind == DELIVERED]


def rate_of(rates: Mapping[tuple[str, str], int], targets: list[tuple[str, str]]) -> int | None:
    """The rate of these targets, the slowest one; where nothing arrived there, of the busiest database of all."""
    known = [rates[one] for one in targets if rates.get(one)]
    return min(known) if known else max(rates.values(), default=None)

"""Reads counters and exceptional events, for pages, REST, metrics and charts.

Moments are milliseconds since 1970, UTC. Counters are told per minute as long as there are minutes, before that per
hour.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final, NamedTuple

from django.db.models import Q, QuerySet, Sum

from brokerui.core.paging import KeysetPage
from brokerui.eventlog.counting import LATENCY
from brokerui.eventlog.models import HOUR, MINUTE, EventCount, EventTotal, ExceptionalEvent, Sampled
from brokerui.eventlog.samples import LOOKED_AT
from brokerui.eventlog.schema import NAMES
from routing.common import event_subclasses as subclasses

LIMIT: Final = 100
"""Rows of a page."""
LONGEST: Final = 1_000

# ------------------------------------------------------------------------------------------------ exceptional events


class Cursor(NamedTuple):
    """Where a page ends: the row that the next one begins after."""

    last_at: int
    id: int


@dataclass(frozen=True, slots=True)
class Filter:
    """Selects exceptional events; None or empty restricts nothing."""

    instance: str = ""
    database: str = ""
    event_class: int | None = None
    error: int | None = None
    conversation_id: str = ""
    target: str = ""
    since: int | None = None
    """Events whose latest occurrence is at this time or later."""
    until: int | None = None
    """That were told before this moment for the first time."""


def exceptional_page(
    wanted_events: Filter, *, after: Cursor | None = None, limit: int = LIMIT, is_oldest_first: bool = False
) -> KeysetPage[ExceptionalEvent, Cursor]:
    """Return a page of exceptional events, the latest first; it costs the same however many there are before it.

    A row that is told again meanwhile goes to the page of the latest: older pages do not have it any more.
    """
    rows = _exceptional(wanted_events)
    beyond, sign = ("gt", "") if is_oldest_first else ("lt", "-")
    if after is not None:
        # The first condition is one that an index begins at; of the other alone, a database reads all rows before.
        later = Q(**{f"last_at__{beyond}": after.last_at}) | Q(**{f"id__{beyond}": after.id})
        rows = rows.filter(later, **{f"last_at__{beyond}e": after.last_at})
    limit = max(1, min(limit, LONGEST))
    found = list(rows.order_by(f"{sign}last_at", f"{sign}id")[: limit + 1])
    last = found[limit - 1] if len(found) > limit else None
    return KeysetPage(tuple(found[:limit]), Cursor(last.last_at, last.id) if last else None)


def exceptional_by_class(wanted_events: Filter) -> Mapping[int, int]:
    """How many there were of each class."""
    found = _exceptional(replace(wanted_events, event_class=None)).order_by().values_list("event_class")
    return dict(found.annotate(times=Sum("occurrences")).order_by("event_class"))


def event_name(event_class: int) -> str:
    """As the product calls it."""
    return NAMES.get(event_class, str(event_class))


def _exceptional(wanted_events: Filter) -> QuerySet[ExceptionalEvent]:
    given = {
        "instance": wanted_events.instance or None,
        "database_name": wanted_events.database or None,
        "event_class": wanted_events.event_class,
        "error": wanted_events.error,
        "conversation_id": wanted_events.conversation_id or None,
        "target": wanted_events.target or None,
        "last_at__gte": wanted_events.since,
        "first_at__lt": wanted_events.until,
    }
    return ExceptionalEvent.objects.filter(**{name: value for name, value in given.items() if value is not None})


# ------------------------------------------------------------------------------------------------ counters


@dataclass(frozen=True, slots=True)
class Measure:
    """Something that is counted: which events, and which of their sums."""

    event_class: int
    subclasses: tuple[int, ...] = ()
    """Empty: all of them."""
    figure: str = "events"
    """`events`, `messages` or `bytes`."""
    errors: tuple[int, ...] = ()
    """Empty: all of them."""

    def bytes(self) -> Measure:
        """The bytes of the same."""
        return replace(self, figure="bytes")


SENT: Final = Measure(124, (1, 2, 3), "messages")
"""By applications: with SEND or END CONVERSATION."""
ENQUEUED: Final = Measure(124, (6, 7, 8), "messages")
"""Into the queues of their targets."""
RECEIVED: Final = Measure(1002, (), "messages")
"""By applications."""
TRANSMITTED: Final = Measure(1001, (), "messages")
"""To next hops, those that were sent again too."""
RETRIED: Final = Measure(1001, (subclasses.SentSubclass.SENT_AGAIN,), "messages")
ACKNOWLEDGED: Final = Measure(149, (3, 4))
"""Acknowledgements that came."""
DUPLICATES: Final = Measure(160, errors=(11218,))
"""Copies of messages that had arrived before."""
FORWARDED: Final = Measure(139)
DROPPED: Final = Measure(140)
MEASURES: Final[Mapping[str, Measure]] = {
    "sent": SENT,
    "sent_bytes": SENT.bytes(),
    "enqueued": ENQUEUED,
    "enqueued_bytes": ENQUEUED.bytes(),
    "received": RECEIVED,
    "received_bytes": RECEIVED.bytes(),
    "transmitted": TRANSMITTED,
    "transmitted_bytes": TRANSMITTED.bytes(),
    "retried": RETRIED,
    "acknowledged": ACKNOWLEDGED,
    "forwarded": FORWARDED,
    "dropped": DROPPED,
}


class CounterPoint(NamedTuple):
    """A figure of a minute or an hour, which began at a moment."""

    at: int
    seconds: int
    """60 or 3600."""
    value: int


def counted_over_time(
    measure: Measure, *, since: int, until: int, instance: str = "", database: str = ""
) -> list[CounterPoint]:
    """A figure, in the order of time; spans in which there was none are not there."""
    rows = _counts(measure, since, until, instance, database).values_list("at", "seconds")
    return [CounterPoint(*row) for row in rows.annotate(value=Sum(measure.figure)).order_by("at", "seconds")]


class ErrorPoint(NamedTuple):
    """Events of an instance with an error, in a minute or an hour."""

    at: int
    instance: str
    error: int
    value: int


def counted_by_error(measure: Measure, *, since: int, until: int) -> list[ErrorPoint]:
    """A figure of each instance by the error of the events, in the order of time."""
    rows = _counts(measure, since, until).values_list("at", "instance", "error")
    return [ErrorPoint(*row) for row in rows.annotate(value=Sum(measure.figure)).order_by("at", "instance", "error")]


def counted_by_database(measure: Measure, *, since: int, until: int) -> Mapping[tuple[str, str], int]:
    """Return the sums of a measure between two moments, by instance and database."""
    rows = _counts(measure, since, until).values_list("instance", "database")
    found = rows.annotate(value=Sum(measure.figure)).order_by("instance", "database")
    return {(instance, database): value for instance, database, value in found}


def _counts(measure: Measure, since: int, until: int, instance: str = "", database: str = "") -> QuerySet[EventCount]:
    given = {"instance": instance, "database": database}
    rows = EventCount.objects.filter(seconds__in=(MINUTE, HOUR), at__gte=since, at__lt=until)
    rows = rows.filter(event_class=measure.event_class, **{name: value for name, value in given.items() if value})
    rows = rows.filter(event_subclass__in=measure.subclasses) if measure.subclasses else rows
    return rows.filter(error__in=measure.errors) if measure.errors else rows


class LatencyPoint(NamedTuple):
    """How many messages were acknowledged in a minute or an hour, by the step of their latency."""

    at: int
    seconds: int
    step: int
    """`brokerui.messaging.latency.BOUNDS_MS`."""
    messages: int


def latencies_over_time(*, since: int, until: int) -> list[LatencyPoint]:
    """The latencies of acknowledgements of all instances together, in the order of time."""
    rows = _counts(Measure(LATENCY), since, until).values_list("at", "seconds", "event_subclass")
    found = rows.annotate(value=Sum("events")).order_by("at", "seconds", "event_subclass")
    return [LatencyPoint(*row) for row in found]


class Total(NamedTuple):
    """Sums of the events of one kind, since the first one."""

    instance: str
    event_class: int
    event_subclass: int
    database: str
    error: int
    events: int
    messages: int
    bytes: int


def totals() -> list[Total]:
    """Sums that only ever grow, whatever is removed of the counters."""
    return [Total(*row) for row in EventTotal.objects.order_by("pk").values_list(*Total._fields)]


# ------------------------------------------------------------------------------------------------ samples


def latest_samples() -> list[Sampled]:
    """Return the samples of the last sampled minute; empty: there are none."""
    rows = Sampled.objects.filter(seconds=MINUTE, kind__in=[int(kind) for kind in LOOKED_AT])
    last = rows.order_by("-at").values_list("at", flat=True).first()
    return list(rows.filter(at=last).order_by("pk")) if last is not None else []

"""Writes the event log: adds sums to sums, so that workers need no coordination, and removes old rows.

All transactions run their statements in the same order, and each statement adds its rows in order of their keys: two
transactions that meet wait for each other for some milliseconds, and never deadlock.
"""

from __future__ import annotations

import socket
from collections.abc import Iterable, Sequence
from itertools import islice
from operator import add
from typing import Any, Final

from django.db import connection, transaction
from django.db.models import Min, QuerySet

from brokerui.eventlog.counting import Counts
from brokerui.eventlog.exceptional import HOUR_MS, Exceptions
from brokerui.eventlog.models import HOUR, MINUTE, NAME, EventCount, ExceptionalEvent, Sampled
from brokerui.eventlog.queue_flows import Flows
from brokerui.eventlog.samples import OfSample, Sample

AT_ONCE: Final = 500
"""Rows of one statement."""
MOST_IN_AN_HOUR: Final = 5_000
"""Different exceptional events that are kept of one hour; others are only counted."""
DELETED_AT_ONCE: Final = 10_000
DAY_MS: Final = 86_400_000

_COUNTS = (
    "INSERT INTO event_counts"
    " (seconds, at, instance, event_class, event_subclass, database, error, events, messages, bytes) VALUES {values}"
    " ON CONFLICT (seconds, at, instance, event_class, event_subclass, database, error) DO UPDATE SET"
    " events = event_counts.events + excluded.events, messages = event_counts.messages + excluded.messages,"
    " bytes = event_counts.bytes + excluded.bytes"
)
_TOTALS = (
    "INSERT INTO event_totals (instance, event_class, event_subclass, database, error, events, messages, bytes)"
    " VALUES {values} ON CONFLICT (instance, event_class, event_subclass, database, error) DO UPDATE SET"
    " events = event_totals.events + excluded.events, messages = event_totals.messages + excluded.messages,"
    " bytes = event_totals.bytes + excluded.bytes"
)
_SAMPLES = (
    "INSERT INTO event_samples (seconds, at, kind, instance, database, name, error, depth, oldest_age_ms, role)"
    " VALUES {values} ON CONFLICT (seconds, at, kind, instance, database, name, error) DO UPDATE SET"
    " depth = excluded.depth, oldest_age_ms = excluded.oldest_age_ms, role = excluded.role"
)
_FLOWS = (
    "INSERT INTO event_samples (seconds, at, kind, instance, database, name, error, depth, oldest_age_ms, role)"
    " VALUES {values} ON CONFLICT (seconds, at, kind, instance, database, name, error) DO UPDATE SET"
    " depth = event_samples.depth + excluded.depth"
)
_EXCEPTIONS = (
    "INSERT INTO exceptional_events (hour, fingerprint, event_class, event_subclass, instance, host_name,"
    " database_name, error, target, address, text_data, occurrences, first_at, last_at, conversation_id,"
    " conversation_handle) VALUES {values} ON CONFLICT (hour, fingerprint) DO UPDATE SET"
    " occurrences = exceptional_events.occurrences + excluded.occurrences,"
    " first_at = CASE WHEN excluded.first_at < exceptional_events.first_at THEN excluded.first_at"
    " ELSE exceptional_events.first_at END,"
    " last_at = CASE WHEN excluded.last_at > exceptional_events.last_at THEN excluded.last_at"
    " ELSE exceptional_events.last_at END"
)
_HOURLY_COUNTS = (
    "INSERT INTO event_counts"
    " (seconds, at, instance, event_class, event_subclass, database, error, events, messages, bytes)"
    " SELECT %(hour)s, %(at)s, instance, event_class, event_subclass, database, error,"
    " sum(events), sum(messages), sum(bytes) FROM event_counts"
    " WHERE seconds = %(minute)s AND at >= %(at)s AND at < %(end)s"
    " GROUP BY instance, event_class, event_subclass, database, error"
    " ON CONFLICT (seconds, at, instance, event_class, event_subclass, database, error) DO UPDATE SET"
    " events = event_counts.events + excluded.events, messages = event_counts.messages + excluded.messages,"
    " bytes = event_counts.bytes + excluded.bytes"
)
_HOURLY_SAMPLES = (
    "INSERT INTO event_samples (seconds, at, kind, instance, database, name, error, depth, oldest_age_ms, role)"
    " SELECT %(hour)s, %(at)s, kind, instance, database, name, error, max(depth), max(oldest_age_ms), max(role)"
    " FROM event_samples WHERE seconds = %(minute)s AND at >= %(at)s AND at < %(end)s"
    " GROUP BY kind, instance, database, name, error"
    " ON CONFLICT (seconds, at, kind, instance, database, name, error) DO UPDATE SET"
    " depth = CASE WHEN excluded.depth > event_samples.depth THEN excluded.depth ELSE event_samples.depth END"
)


def counts_add(counts: Counts) -> None:
    """Into the counters of their minutes, and of all time."""
    totals: dict[tuple[Any, ...], tuple[int, ...]] = {}
    for (_, *kind), sums in counts.items():
        before = totals.get(tuple(kind), (0, 0, 0))
        totals[tuple(kind)] = tuple(map(add, before, sums))
    with transaction.atomic():
        _insert(_COUNTS, ((MINUTE, *key, *sums) for key, sums in sorted(counts.items())))
        _insert(_TOTALS, ((*kind, *sums) for kind, sums in sorted(totals.items())))


def flows_add(flows: Flows) -> None:
    """Into the messages of their minutes, queue by queue."""
    rows: dict[tuple[Any, ...], int] = {}
    for (*kind, name), messages in flows.items():
        key = (MINUTE, *kind, name[:NAME], 0)
        rows[key] = rows.get(key, 0) + messages
    with transaction.atomic():
        _insert(_FLOWS, ((*key, messages, None, "") for key, messages in sorted(rows.items())))


def samples_put(minute: int, instance: str, samples: Iterable[Sample]) -> None:
    """The figures of an instance at a minute; those of the same minute before are replaced."""
    rows = {(MINUTE, minute, *_sampled(instance, sample)[:5]): _sampled(instance, sample)[5:] for sample in samples}
    _insert(_SAMPLES, ((*key, *values) for key, values in sorted(rows.items(), key=lambda row: row[0])))


def _sampled(instance: str, sample: Sample) -> tuple[Any, ...]:
    route = (sample.address, sample.mirror_address, sample.service, sample.broker_instance)
    name = " ".join(filter(None, route)) if sample.subclass is OfSample.MIRRORED_ROUTE else sample.queue
    role = sample.principal or sample.role
    key = (int(sample.subclass), instance, sample.database, name[:NAME], sample.error)
    return (*key, sample.depth, sample.oldest_age_ms, role)


def exceptions_add(exceptions: Exceptions) -> None:
    """Add to known kinds of events, and insert new kinds up to the limit of their hour."""
    by_hour: dict[int, Exceptions] = {}
    for (what, hour), seen in exceptions.items():
        by_hour.setdefault(hour, {})[what, hour] = seen
    for hour, some in sorted(by_hour.items()):
        _insert(_EXCEPTIONS, _exceptional(_with_room(hour, some)))


def _with_room(hour: int, exceptions: Exceptions) -> Exceptions:
    rows = ExceptionalEvent.objects.filter(hour=hour)
    room = MOST_IN_AN_HOUR - rows.count()
    if len(exceptions) <= room:
        return exceptions
    prints = {what.fingerprint: (what, hour) for what, _ in exceptions}
    known = set(rows.filter(fingerprint__in=list(prints)).values_list("fingerprint", flat=True))
    new = [key for print_, key in prints.items() if print_ not in known]
    dropped = set(new[max(0, room) :])
    return {key: seen for key, seen in exceptions.items() if key not in dropped}


def _exceptional(exceptions: Exceptions) -> Iterable[tuple[Any, ...]]:
    host = socket.gethostname()
    keyed = sorted(((what.fingerprint, what, hour), seen) for (what, hour), seen in exceptions.items())
    for (fingerprint, what, hour), seen in keyed:
        instance, event_class, subclass, database, error, target, address, text = what
        kind = (hour, fingerprint, event_class, subclass, instance, host, database, error)
        # PostgreSQL has no text with a NUL in it.
        described = (target, address, text.replace("\0", "\N{REPLACEMENT CHARACTER}"))
        yield (
            *kind,
            *described,
            seen.events,
            seen.first_at,
            seen.last_at,
            seen.conversation_id,
            seen.conversation_handle,
        )


def _insert(sql: str, rows: Iterable[Sequence[Any]]) -> None:
    """Some hundred rows a statement."""
    left = iter(rows)
    while some := list(islice(left, AT_ONCE)):
        row = f"({', '.join(['%s'] * len(some[0]))})"
        with connection.cursor() as cursor:
            cursor.execute(sql.format(values=", ".join([row] * len(some))), [value for one in some for value in one])


# ------------------------------------------------------------------------------------------------ old rows


def tidy(now: int, *, minutes_days: int, hours_days: int, rows_days: int) -> None:
    """Minutes that are old become hours; hours and exceptional events that are old go. May be done at any time."""
    for model, sql in ((EventCount, _HOURLY_COUNTS), (Sampled, _HOURLY_SAMPLES)):
        _roll_up(model, sql, now - minutes_days * DAY_MS)
        _delete(model.objects.filter(seconds=HOUR), "at", now - hours_days * DAY_MS)
    _delete(ExceptionalEvent.objects.all(), "last_at", now - rows_days * DAY_MS)


def _roll_up(model: Any, sql: str, before: int) -> None:
    """Each whole hour of minutes in a transaction: it is there by minutes, or as an hour, and never twice."""
    while (first := model.objects.filter(seconds=MINUTE).aggregate(first=Min("at"))["first"]) is not None:
        at = first - first % HOUR_MS
        if at + HOUR_MS > before:
            return
        given = {"hour": HOUR, "minute": MINUTE, "at": at, "end": at + HOUR_MS}
        with transaction.atomic():
            with connection.cursor() as cursor:
                cursor.execute(sql, given)
            model.objects.filter(seconds=MINUTE, at__gte=at, at__lt=at + HOUR_MS).delete()


def _delete(rows: QuerySet, field: str, before: int) -> None:
    """In batches, so that nobody waits for long."""
    old = rows.filter(**{f"{field}__lt": before}).order_by(field)
    while some := list(old.values_list(field, flat=True)[:DELETED_AT_ONCE]):
        old.filter(**{f"{field}__lte": some[-1]}).order_by().delete()

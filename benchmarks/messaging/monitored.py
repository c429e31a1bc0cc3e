"""A broker after a month of work, for benchmarks: what an operator's pages read, written straight into the database.

1,000 instances with 50,000 routes, 20 of the instances hosted; 100,000 conversations that wait for five reasons, with
900,000 messages in transmission queues; 100,000 messages in 100 queues; a week of minutes and a month of hours of
samples and counters; 50,000 rows of exceptional events; the findings about the estate.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

from django.db import connection
from django.db.models import Max

from benchmarks.estates import furnished, large_estate
from brokerui.analysis.lint.tasks import request_live_lint
from brokerui.core.jobs.tasks import jobs_run
from brokerui.estate.models import Instance
from brokerui.estate.selectors import estate_current
from brokerui.estate.services import estate_import
from brokerui.eventlog.counting import LATENCY
from brokerui.eventlog.models import HOUR, MINUTE, ExceptionalEvent, Sampled
from brokerui.eventlog.samples import OfSample
from brokerui.eventlog.selectors import ENQUEUED
from brokerui.messaging.clock import now
from brokerui.messaging.models import ConversationEndpoint, HostedInstance
from brokerui.messaging.store.numbers import queue_number
from routing.common.event_subclasses import ClassifySubclass
from routing.documents.estate_document import read_estate
from routing.model.estate import Estate

HOSTED, DATABASES = 20, 100
CONVERSATIONS, EACH = 100_000, 9
"""Messages of each conversation."""
RECEIVABLE = 100_000
CAUSES = (0, 9727, 9793, 9796, 8490)
"""Transmission statuses of the conversations that wait."""
MINUTES, HOURS = 7 * 1440, 30 * 24
HOUR_MS = 3_600_000
EVENTS = 50_000
EVENTS_MS = 30 * 86_400_000 // EVENTS
"""Milliseconds between two of them."""
GUID = "substr('00000000-0000-4000-8000-000000000000', 1, 36 - length(CAST(i AS text))) || CAST(i AS text)"
"""Of the number i, on any database."""
NUMBERS = "WITH RECURSIVE n(i) AS (SELECT 0 WHERE {0} > 0 UNION ALL SELECT i + 1 FROM n WHERE i < {0} - 1)"
PLACES = "places"
COUNTED = (
    (ENQUEUED.event_class, ENQUEUED.subclasses[0]),
    (141, int(ClassifySubclass.DELAYED)),
    (160, 1),
    (LATENCY, 5),
    (LATENCY, 9),
)
"""Classes and subclasses of the counters."""


def fill() -> None:
    """Fill the database, which is migrated; one that was filled before gets the rows that came since then."""
    is_new = not HostedInstance.objects.exists()
    if is_new:
        _host()
    _look_over()
    _name_places()
    if is_new:
        _conversations()
        _messages()
        _queued()
    else:
        _wait_again()
    _events(EVENTS if is_new else _events_since())
    last = now()
    for seconds, times in ((MINUTE, MINUTES), (HOUR, HOURS)):
        missing = times if is_new else _times_since(seconds, last)
        _samples(seconds, missing, last)
        _counts(seconds, missing, last)
    with connection.cursor() as cursor:
        cursor.execute(f"DROP TABLE {PLACES}")
        # PostgreSQL would begin this by itself, in the middle of the measurement.
        cursor.execute("VACUUM ANALYZE" if connection.vendor == "postgresql" else "ANALYZE")


def _look_over() -> None:
    """Check the estate for findings, as a worker does in the background."""
    request_live_lint()
    jobs_run()


def _wait_again() -> None:
    """Put the next attempts of all conversations an hour off: here is no worker that makes them."""
    later = now() + HOUR_MS
    ConversationEndpoint.objects.update(next_attempt=later, due=later)


def _times_since(seconds: int, last: int) -> int:
    """Return how many minutes or hours began since the latest sample."""
    latest = Sampled.objects.filter(seconds=seconds).aggregate(latest=Max("at"))["latest"]
    return int(last - latest) // (seconds * 1_000)


def _events_since() -> int:
    """Return how many events have come since the latest one."""
    latest = ExceptionalEvent.objects.aggregate(latest=Max("last_at"))["latest"]
    return int(now() - latest) // EVENTS_MS


def _host() -> None:
    estate = read_estate(json.dumps(furnished(large_estate())))
    estate_import(estate=estate, author="benchmark")
    names = list(estate.instances)[:HOSTED]
    Instance.objects.filter(name__in=names).update(hosted=True)
    for name in names:
        HostedInstance.objects.create(name=name)


def _name_places() -> None:
    """Make the table of the databases that have conversations."""
    numbers = dict(HostedInstance.objects.order_by("id").values_list("name", "id"))
    estate = estate_current().estate
    with connection.cursor() as cursor:
        columns = (
            "p integer, instance_id integer, instance text, database text, service text, queue text, number bigint"
        )
        cursor.execute(f"CREATE TEMPORARY TABLE {PLACES} ({columns})")
        cursor.executemany(f"INSERT INTO {PLACES} VALUES (%s, %s, %s, %s, %s, %s, %s)", _places(estate, numbers))


def _places(estate: Estate, numbers: dict[str, int]) -> Sequence[tuple[Any, ...]]:
    """Return a row for each of the databases with a service: where it is, its service and its queue."""
    return [(p, *row) for p, row in zip(range(DATABASES), _rows_of(estate, numbers), strict=False)]


def _rows_of(estate: Estate, numbers: dict[str, int]) -> Iterator[tuple[Any, ...]]:
    for instance, number in numbers.items():
        for database in estate.instances[instance].databases.values():
            for service in database.services[:1]:
                key = (database.name, service.queue)
                yield number, instance, database.name, service.name, service.queue, queue_number(number, key)


def _places_count() -> int:
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT count(*) FROM {PLACES}")
        return int(cursor.fetchone()[0])


def _insert(table: str, rows: int, columns: dict[str, str], place: str) -> None:
    """Insert a row for each number i from 0, with the place whose number is `place`."""
    select = f"SELECT {', '.join(columns.values())} FROM n JOIN {PLACES} ON p = {place}"
    with connection.cursor() as cursor:
        cursor.execute(f"INSERT INTO {table} ({', '.join(columns)}) {NUMBERS.format(rows)} {select}")


def _each(value: str, *columns: str) -> dict[str, str]:
    return dict.fromkeys(columns, value)


def _conversations() -> None:
    causes = " ".join(f"WHEN {n} THEN {cause}" for n, cause in enumerate(CAUSES))
    columns = {
        **_each(GUID, "conversation_handle", "conversation_id", "conversation_group_id"),
        **{name: name for name in ("instance_id", "database", "queue")},
        "service_name": "service",
        "is_initiator": "true",
        "far_service": "'s' || CAST(i % 40 AS text)",
        "service_contract_name": "'DEFAULT'",
        "lifetime": str(2**40),
        "state": "CASE WHEN i % 4 = 0 THEN 'SO' ELSE 'CO' END",
        "priority": "5",
        "encryption": "false",
        **_each(str(EACH), "outgoing", "send_sequence"),
        "transmission_status": f"CASE i % {len(CAUSES)} {causes} END",
        "attempts": f"CASE WHEN i % {len(CAUSES)} = 0 THEN 0 ELSE 3 END",
        "key_id": r"CAST('\x00' AS bytea)" if connection.vendor == "postgresql" else "x'00'",
        **_each(str(now() + HOUR_MS), "next_attempt", "due"),
        **_each("0", "transmitted", "acknowledged_sequence", "sending_sequence", "receive_sequence", "held"),
        **_each("0", "held_bytes", "integrity", "fragment_bytes"),
    }
    _insert("conversation_endpoints", CONVERSATIONS, columns, f"i % {_places_count()}")


def _messages() -> None:
    columns = {
        "conversation_handle": GUID.replace("CAST(i", f"CAST((i / {EACH})"),
        "message_sequence_number": f"i % {EACH}",
        "instance_id": "instance_id",
        "message_type_name": "'DEFAULT'",
        "enqueue_time": f"{now()} - i",
        **_each("false", "is_end_of_dialog", "is_conversation_error"),
    }
    _insert("transmission_queue", CONVERSATIONS * EACH, columns, f"(i / {EACH}) % {_places_count()}")


def _queued() -> None:
    places = _places_count()
    columns = {
        **_each(GUID, "conversation_group_id", "conversation_handle"),
        "instance_id": "instance_id",
        "queue_number": "number",
        "status": "1",
        "priority": "5",
        "rank": "2",
        "message_sequence_number": "0",
        "service_name": "service",
        **_each("'DEFAULT'", "service_contract_name", "message_type_name"),
        "validation": "'N'",
        "message_enqueue_time": f"{now()} - i",
    }
    _insert("queue_messages", RECEIVABLE, columns, f"i % {places}")
    each = str(RECEIVABLE // places)
    of_queue = {"instance_id": "instance_id", "queue_number": "number", "slot": "0", "messages": each}
    _insert("queue_counters", places, {**of_queue, "database": "database", "queue": "queue"}, "i")


def _at(seconds: int, rows: str, last: int) -> str:
    """Return the moment of row i, of `rows` at each moment, back from the last one."""
    step = seconds * 1_000
    return f"{last - last % step} - CAST(i / ({rows}) AS bigint) * {step}"


def _samples(seconds: int, times: int, last: int) -> None:
    """Insert the depth of each transmission queue and queue, and how much of it waits for each cause."""
    places = _places_count()
    kinds = [(OfSample.TRANSMISSION_QUEUE, "''", "0"), (OfSample.QUEUE, "queue", "0")]
    kinds += [(OfSample.WAITING_CONVERSATIONS, "''", str(cause)) for cause in CAUSES]
    for kind, name, error in kinds:
        columns = {
            "seconds": str(seconds),
            "at": _at(seconds, str(places), last),
            "kind": str(int(kind)),
            **{column: column for column in ("instance", "database")},
            "name": name,
            "error": error,
            "depth": "i % 997",
            "oldest_age_ms": "(i % 997) * 1000",
            "role": "''",
        }
        _insert("event_samples", places * times, columns, f"i % {places}")


def _counts(seconds: int, times: int, last: int) -> None:
    places = _places_count()
    for event_class, subclass in COUNTED:
        columns = {
            "seconds": str(seconds),
            "at": _at(seconds, str(places), last),
            **{column: column for column in ("instance", "database")},
            "event_class": str(event_class),
            "event_subclass": str(subclass),
            "error": "0",
            **_each("i % 13", "events", "messages"),
            "bytes": "i % 1300",
        }
        _insert("event_counts", places * times, columns, f"i % {places}")


def _events(number: int) -> None:
    at = f"{now()} - CAST(i AS bigint) * {EVENTS_MS}"
    columns = {
        "hour": f"({at}) - ({at}) % 3600000",
        "fingerprint": f"'{now()}-' || CAST(i AS text)",
        "event_class": "CASE WHEN i % 3 = 0 THEN 160 ELSE 141 END",
        "event_subclass": "CASE WHEN i % 3 = 0 THEN 1 ELSE 3 END",
        "instance": "instance",
        "host_name": "instance",
        "database_name": "database",
        "error": f"{CAUSES[1]}",
        "target": "service",
        **_each("''", "address", "text_data"),
        "occurrences": "1 + i % 7",
        "first_at": at,
        "last_at": at,
        **_each(GUID, "conversation_id", "conversation_handle"),
    }
    _insert("exceptional_events", number, columns, f"i % {_places_count()}")

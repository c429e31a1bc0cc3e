"""Answers to a monitoring system: `/metrics`. They cost the same however many messages there are."""

from __future__ import annotations

import logging
import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import accumulate
from typing import Final

from prometheus_client.metrics_core import Metric
from redis import RedisError

from brokerui.core.heartbeat import heartbeat_last
from brokerui.eventlog.counting import LATENCY
from brokerui.eventlog.exposition import counter, gauge, histogram
from brokerui.eventlog.models import Sampled
from brokerui.eventlog.product_counters import product_counters, product_gauges
from brokerui.eventlog.samples import OfSample
from brokerui.eventlog.selectors import ACKNOWLEDGED, MEASURES, Total, event_name, latest_samples, totals
from brokerui.messaging.exchange.lists import connections, waiting
from brokerui.messaging.exchange.messages import ConnectionRow
from brokerui.messaging.exchange.outbox import redis
from brokerui.messaging.latency import BOUNDS_MS

logger = logging.getLogger(__name__)
Values = list[tuple[Mapping[str, object], float]]
Labels = Callable[[Sampled], Mapping[str, object]]
_FLOWS: Final = ("sent", "enqueued", "received", "transmitted", "retried")


def metrics() -> Iterator[Metric]:
    """Yield all metrics. Depths and ages are those of the last minute; without Redis, connections are left out."""
    yield from _sampled(latest_samples())
    found = totals()
    yield from _counted(found)
    yield from product_counters(found)
    try:
        yield from _of_redis()
        is_up = 1
    except (RedisError, OSError) as error:
        logger.info("no metrics of connections: %s", error)
        is_up = 0
    yield gauge("brokerui_redis_up", "Whether Redis answers.", [({}, is_up)])


# ------------------------------------------------------------------------------------------------ samples


def _sampled(samples: list[Sampled]) -> Iterator[Metric]:
    queues = [row for row in samples if row.kind == OfSample.QUEUE]
    yield _depths("brokerui_queue_messages", "Messages in a queue.", queues, _queue)
    yield _ages("brokerui_queue_oldest_age_seconds", "Since the oldest message came into a queue.", queues, _queue)
    sending = [row for row in samples if row.kind == OfSample.TRANSMISSION_QUEUE]
    name = "brokerui_transmission_queue"
    yield _depths(f"{name}_messages", "Messages in the transmission queue of a database.", sending, _database)
    help_text = "Since the oldest message came into the transmission queue of a database."
    yield _ages(f"{name}_oldest_age_seconds", help_text, sending, _database)
    delayed = [row for row in samples if row.kind == OfSample.WAITING_CONVERSATIONS]
    help_text = (
        "Conversations with messages to be sent, by why they wait; error 0: for an acknowledgement, or the first time."
    )
    yield _depths(
        "brokerui_waiting_conversations", help_text, delayed, lambda row: _database(row) | {"error": row.error}
    )
    roles = [row for row in samples if row.kind == OfSample.MIRRORING_ROLE]
    values: Values = [(_database(row), row.role == "PRINCIPAL") for row in roles]
    yield gauge("brokerui_mirrored_database_is_principal", "1: principal, 0: mirror.", values)
    last = max((row.at for row in samples), default=0)
    yield gauge("brokerui_samples_timestamp_seconds", "When these were looked at.", [({}, last / 1000)])


def _queue(row: Sampled) -> dict[str, object]:
    return _database(row) | {"queue": row.name}


def _database(row: Sampled) -> dict[str, object]:
    return {"instance": row.instance, "database": row.database}


def _depths(name: str, help_text: str, rows: Iterable[Sampled], labels: Labels) -> Metric:
    return gauge(name, help_text, [(labels(row), row.depth) for row in rows])


def _ages(name: str, help_text: str, rows: Iterable[Sampled], labels: Labels) -> Metric:
    return gauge(name, help_text, [(labels(row), (row.oldest_age_ms or 0) / 1000) for row in rows])


# ------------------------------------------------------------------------------------------------ counters


def _counted(found: list[Total]) -> Iterator[Metric]:
    events: Counter[tuple[str, int, int, int]] = Counter()
    for row in found:
        if row.event_class != LATENCY:
            events[row.instance, row.event_class, row.event_subclass, row.error] += row.events
    values: Values = [
        ({"instance": instance, "class": number, "name": event_name(number), "subclass": subclass, "error": error}, n)
        for (instance, number, subclass, error), n in sorted(events.items())
    ]
    yield counter("brokerui_events_total", "Broker events.", values)
    help_text = (
        "Messages: sent, put into queues (enqueued), received, transmitted to next hops, and of these again (retried)."
    )
    yield counter("brokerui_messages_total", help_text, _flows(found, "messages"))
    yield counter("brokerui_message_bytes_total", "Bytes of their bodies.", _flows(found, "bytes"))
    heard = [row for row in found if row.event_class == 149 and row.event_subclass in ACKNOWLEDGED.subclasses]
    acknowledged: Counter[tuple[str, str]] = Counter()
    for row in heard:
        acknowledged[row.instance, row.database] += row.events
    values = [({"instance": one, "database": two}, n) for (one, two), n in sorted(acknowledged.items())]
    yield counter("brokerui_acknowledgements_total", "Acknowledgements that came.", values)
    yield _latencies(found)


def _latencies(found: list[Total]) -> Metric:
    """Over all instances together: a series for each step and instance would be too many."""
    steps = Counter[int]()
    for row in found:
        if row.event_class == LATENCY:
            steps[row.event_subclass] += row.events
    counts = [steps[step] for step in range(len(BOUNDS_MS) + 1)]
    bounds = [*(bound / 1000 for bound in BOUNDS_MS), math.inf]
    return histogram(
        "brokerui_acknowledgement_latency_seconds",
        "From SEND to the acknowledgement of a message.",
        dict(zip(bounds, accumulate(counts), strict=True)),
    )


def _flows(found: list[Total], figure: str) -> Values:
    sums: Counter[tuple[str, str, str]] = Counter()
    for flow in _FLOWS:
        measure = MEASURES[flow]
        for row in found:
            if row.event_class == measure.event_class and row.event_subclass in (measure.subclasses or {0, 1, 2}):
                sums[row.instance, row.database, flow] += getattr(row, figure)
    return [({"instance": one, "database": two, "flow": flow}, n) for (one, two, flow), n in sorted(sums.items())]


# ------------------------------------------------------------------------------------------------ Redis


def _of_redis() -> list[Metric]:
    client = redis()
    rows = connections(client)
    lists: Values = [
        (
            {
                "instance": place.instance,
                "list": "arrived" if isinstance(place.to, int) else "outgoing",
                "to": place.to,
            },
            n,
        )
        for place, n in sorted(waiting(client).items(), key=str)
    ]
    seen = heartbeat_last()
    return [
        gauge("brokerui_connections", "Connections by state and direction.", _connections(rows)),
        _open("fragments", "Fragments", rows),
        _open("bytes", "Bytes", rows),
        gauge("brokerui_endpoint_list_bytes", "Bytes of frames that wait between endpoint and workers.", lists),
        gauge(
            "brokerui_worker_seen_timestamp_seconds",
            "When a worker last did something.",
            [({}, seen.timestamp())] if seen else [],
        ),
        *product_gauges(client, rows),
    ]


def _connections(rows: list[ConnectionRow]) -> Values:
    found = Counter((row.instance, row.state_desc, "in" if row.is_accept else "out") for row in rows)
    return [({"instance": one, "state": two, "direction": three}, n) for (one, two, three), n in sorted(found.items())]


def _open(what: str, help_text: str, rows: list[ConnectionRow]) -> Metric:
    """Return a gauge over the connections that are open now: it falls when one is closed."""
    sums: Counter[tuple[str, str]] = Counter()
    for row in rows:
        sums[row.instance, "sent"] += getattr(row, f"total_{what}_sent")
        sums[row.instance, "received"] += getattr(row, f"total_{what}_received")
    values: Values = [({"instance": one, "direction": two}, n) for (one, two), n in sorted(sums.items())]
    return gauge(f"brokerui_open_connection_{what}", f"{help_text} over the connections that are open now.", values)

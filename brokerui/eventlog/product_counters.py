"""The performance counters of SQL Server that this broker has, under names of Prometheus, by instance.

The help of each metric is the name of the counter. A rate (`…/sec`) of the product is a total here: Prometheus makes
the rate. `docs/reference/metrics.md` lists the counters of the product, with the reason where one is missing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from prometheus_client.metrics_core import Metric
from redis import Redis

from brokerui.eventlog.counting import LATENCY
from brokerui.eventlog.exposition import counter, gauge
from brokerui.eventlog.selectors import DROPPED, ENQUEUED, FORWARDED, RECEIVED, SENT, Total
from brokerui.messaging.exchange.forwarded_messages import HeldByWorker, held_by_workers
from brokerui.messaging.exchange.lists import waiting
from brokerui.messaging.exchange.messages import ConnectionRow
from routing.common.event_subclasses import ActivationSubclass, ConversationSubclass

STATISTICS: Final = "Broker Statistics"
TRANSPORT: Final = "Broker/DBM Transport"
ACTIVATION: Final = "Broker Activation"
ACTIVATED, CORRUPTED, UNDELIVERABLE = 163, 161, 160


@dataclass(frozen=True, slots=True)
class ProductCounter:
    """A counter of events: its names, and which events it sums."""

    counted_by: str
    """The product's object."""
    name: str
    """The product's counter."""
    metric: str
    event_class: int
    subclasses: Sequence[int] = ()
    """Empty: all."""
    figure: str = "events"

    @property
    def help(self) -> str:
        return f"SQLServer:{self.counted_by}, {self.name}"

    def has(self, row: Total) -> bool:
        """Whether the events of a row count."""
        return row.event_class == self.event_class and row.event_subclass in (self.subclasses or (row.event_subclass,))


def _statistics(name: str, metric: str, event_class: int, *subclasses: int, figure: str = "events") -> ProductCounter:
    return ProductCounter(STATISTICS, name, f"sqlserver_broker_{metric}_total", event_class, subclasses, figure)


def _activation(name: str, metric: str, *subclasses: int) -> ProductCounter:
    return ProductCounter(ACTIVATION, name, f"sqlserver_broker_activation_{metric}_total", ACTIVATED, subclasses)


COUNTERS: Final = (
    _statistics("Activation Errors Total", "activation_errors", ACTIVATED, ActivationSubclass.ABORTED),
    _statistics("Corrupted Messages Total", "corrupted_messages", CORRUPTED),
    _statistics("Dropped Messages Total", "dropped_messages", UNDELIVERABLE),
    _statistics("Dequeued Transmission Msgs/sec", "dequeued_transmission_messages", LATENCY, figure="messages"),
    _statistics(
        "Enqueued Messages Total",
        "enqueued_messages",
        ENQUEUED.event_class,
        *(ENQUEUED.subclasses or ()),
        figure="messages",
    ),
    _statistics("Forwarded Messages Total", "forwarded_messages", FORWARDED.event_class),
    _statistics("Forwarded Msg Discarded Total", "forwarded_messages_discarded", DROPPED.event_class),
    _statistics("SQL RECEIVE Total", "sql_receives", RECEIVED.event_class),
    _statistics("SQL SEND Total", "sql_sends", SENT.event_class, ConversationSubclass.SEND_MESSAGE),
    _activation("Stored Procedures Invoked/sec", "procedures_invoked", ActivationSubclass.STARTED),
    _activation("Tasks Aborted/sec", "tasks_aborted", ActivationSubclass.ABORTED),
    _activation("Tasks Started/sec", "tasks_started", ActivationSubclass.STARTED),
)


def product_counters(found: Iterable[Total]) -> Iterator[Metric]:
    """The totals, a series for each instance that has any events: an instance without some of them has 0."""
    rows = list(found)
    instances = sorted({row.instance for row in rows})
    for one in COUNTERS:
        sums = Counter[str]()
        for row in rows:
            if one.has(row):
                sums[row.instance] += getattr(row, one.figure)
        yield counter(one.metric, one.help, [({"instance": name}, sums[name]) for name in instances])


def product_gauges(client: Redis, rows: Iterable[ConnectionRow]) -> Iterator[Metric]:
    """The figures of now that stand in Redis."""
    opened = Counter(row.instance for row in rows)
    yield _gauge("open_connections", TRANSPORT, "Open Connection Count", opened)
    lists = waiting(client)
    arrived, outgoing = Counter[str](), Counter[str]()
    for place, size in lists.items():
        (arrived if isinstance(place.to, int) else outgoing)[place.instance] += size
    yield _gauge("pending_send_bytes", TRANSPORT, "Pending Bytes for Send I/O", outgoing)
    yield _gauge("pending_receive_bytes", TRANSPORT, "Pending Bytes for Recv I/O", arrived)
    held = held_by_workers(client)
    held_bytes = _held(held, lambda one: one.size)
    yield _gauge("forwarded_pending_bytes", STATISTICS, "Forwarded Pending Msg Bytes", held_bytes)
    fragments = _held(held, lambda one: sum(hop.fragments for hop in one.hops))
    yield _gauge("forwarded_pending_messages", STATISTICS, "Forwarded Pending Msg Count", fragments)


def _held(workers: Iterable[HeldByWorker], figure: Callable[[HeldByWorker], int]) -> Counter[str]:
    """All workers of an instance together."""
    sums = Counter[str]()
    for one in workers:
        sums[one.instance] += figure(one)
    return sums


def _gauge(metric: str, counted_by: str, name: str, values: Mapping[str, int]) -> Metric:
    shown = [({"instance": instance}, value) for instance, value in sorted(values.items())]
    return gauge(f"sqlserver_broker_{metric}", f"SQLServer:{counted_by}, {name}", shown)

"""Rows of the product's views of activation. What Redis does not tell is not known: then monitors are INACTIVE."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from redis import RedisError

from brokerui.messaging.broker_cache import broker_of, hosted_names
from brokerui.messaging.queue_address import QueueAddress
from brokerui.messaging.queue_monitors.activated_tasks import ActivatedTask, readers_of_all
from brokerui.messaging.queue_monitors.activation_settings import activations_of
from brokerui.messaging.queue_monitors.monitor_state import QueueMonitor, monitors


class QueueMonitorRow(NamedTuple):
    """A row of sys.dm_broker_queue_monitors; moments are milliseconds since 1970."""

    instance: str
    database: str
    queue: str
    state: str
    last_empty_rowset_time: int | None
    last_activated_time: int | None
    tasks_waiting: int = 0
    """Whether a receiver waits; always False, since receivers poll."""


class ActivatedTaskRow(NamedTuple):
    """A row of sys.dm_broker_activated_tasks, with where and since when the reader runs."""

    instance: str
    database: str
    queue: str
    spid: int
    procedure_name: str
    host: str
    since: int


def queue_monitors() -> list[QueueMonitorRow]:
    """Return the monitors of all queues of hosted instances that have activation, in the order of their names."""
    places = list(_places())
    return [
        QueueMonitorRow(*place, one.state, one.last_empty, one.last_activated)
        for place, one in zip(places, monitors_known(places), strict=True)
    ]


def activated_tasks() -> list[ActivatedTaskRow]:
    """Readers that run, queue by queue."""
    places = list(_places())
    return [
        ActivatedTaskRow(*place, one.process, one.procedure, one.host, one.since)
        for place, readers in zip(places, readers_known(places), strict=True)
        for one in readers
        if one.process
    ]


def _places() -> Iterator[QueueAddress]:
    for instance in hosted_names():
        yield from (QueueAddress(instance, *key) for key in sorted(activations_of(broker_of(instance))))


def monitors_known(places: Sequence[QueueAddress]) -> list[QueueMonitor]:
    """Return the monitor of each queue, as far as Redis tells."""
    try:
        return monitors(places)
    except (RedisError, OSError):
        return [QueueMonitor()] * len(places)


def readers_known(places: Sequence[QueueAddress]) -> list[list[ActivatedTask]]:
    """Return the readers of each queue, as far as Redis tells."""
    try:
        return readers_of_all(places)
    except (RedisError, OSError):
        return [[] for _ in places]

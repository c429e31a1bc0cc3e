"""Rows of the product's views of activation. What Redis does not tell is not known: then monitors are INACTIVE."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from redis import RedisError

from brokerui.messaging.activation.activated import activations_of
from brokerui.messaging.activation.monitors import Monitor, monitors
from brokerui.messaging.activation.readers import Reader, readers_of
from brokerui.messaging.hosting import broker_of, hosted_names
from brokerui.messaging.places import Place


class QueueMonitorRow(NamedTuple):
    """What sys.dm_broker_queue_monitors shows of one; moments are milliseconds since 1970."""

    instance: str
    database: str
    queue: str
    state: str
    last_empty_rowset_time: int | None
    last_activated_time: int | None
    tasks_waiting: int = 0
    """No RECEIVE waits here: who finds nothing looks again."""


class ActivatedTaskRow(NamedTuple):
    """What sys.dm_broker_activated_tasks shows of a reader that runs, and where and since when it does."""

    instance: str
    database: str
    queue: str
    spid: int
    procedure_name: str
    host: str
    since: int


def queue_monitors() -> list[QueueMonitorRow]:
    """Of all queues of hosted instances that have activation, in the order of their names."""
    places = list(_places())
    return [
        QueueMonitorRow(*place, one.state, one.last_empty, one.last_activated)
        for place, one in zip(places, _monitors(places), strict=True)
    ]


def activated_tasks() -> list[ActivatedTaskRow]:
    """Readers that run, queue by queue."""
    return [
        ActivatedTaskRow(*place, one.process, one.procedure, one.host, one.since)
        for place in _places()
        for one in _readers(place)
        if one.process
    ]


def _places() -> Iterator[Place]:
    for instance in hosted_names():
        yield from (Place(instance, *key) for key in sorted(activations_of(broker_of(instance))))


def _monitors(places: list[Place]) -> list[Monitor]:
    try:
        return monitors(places)
    except (RedisError, OSError):
        return [Monitor()] * len(places)


def _readers(place: Place) -> list[Reader]:
    try:
        return readers_of(place)
    except (RedisError, OSError):
        return []

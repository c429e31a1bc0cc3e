"""One turn of a worker: bounded in time, only for hosted instances, and its frames leave after its commit.

Work is bounded: a worker that has not finished returns True and is woken again, so that no instance starves the others.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import wraps
from typing import Final, ParamSpec

from django.db import DatabaseError, connection, transaction

from brokerui.messaging.errors import NotHostedError
from brokerui.messaging.exchange.forwarded_messages import publish_forwarded
from brokerui.messaging.exchange.outbox import hand_over, hand_over_latencies
from brokerui.messaging.latency import Latencies
from brokerui.messaging.queue_monitors.signals import messages_came
from brokerui.messaging.store import DatabaseStore
from routing.dialog.broker_context import OutboundFrame
from routing.runtime.broker import Broker

P = ParamSpec("P")

TURN_SECONDS: Final = 2.0
"""Longest time for one instance or shard before the others get their turn, in seconds."""


def while_hosted(work: Callable[P, bool]) -> Callable[P, bool]:
    """Decorator: return False if the instance is no longer hosted."""

    @wraps(work)
    def tried(*args: P.args, **kwargs: P.kwargs) -> bool:
        try:
            return work(*args, **kwargs)
        except NotHostedError:
            return False

    return tried


@contextmanager
def before_applications(broker: Broker, at: int) -> Iterator[None]:
    """On SQLite, hold its one write lock from the claim to the commit: then no application that is writing meets a
    conversation that a worker has claimed, and that worker could not give back before the application commits."""
    if connection.features.has_select_for_update:
        yield
        return
    try:
        with transaction.atomic():
            yield
    except DatabaseError:
        broker.frames_to_send(at)  # discard them: their changes were not committed
        _latencies(broker)
        raise


def give_out(broker: Broker, at: int, frames: Sequence[OutboundFrame]) -> None:
    """After the commit: hand frames and events to the endpoint, and start the readers of queues that were filled."""
    messages_came(broker, broker.filled())
    hand_over(broker.instance, frames, broker.events())
    hand_over_latencies(broker.instance, at, _latencies(broker))
    publish_forwarded(broker, at)


def _latencies(broker: Broker) -> Latencies:
    """Take the times that the broker's store has counted since the last turn."""
    return broker.store.take_latencies() if isinstance(broker.store, DatabaseStore) else {}

"""The work of workers: send due messages, process arrived frames. Each step may run at any time, and in many workers.

Work is bounded: a worker that has not finished returns True and is woken again, so that no instance starves the others.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import wraps
from typing import Final, ParamSpec
from uuid import uuid4

from django.db import DatabaseError, connection, transaction
from redis import RedisError

from brokerui.estate.selectors import live_version
from brokerui.messaging.broker_cache import broker_of, working_broker_of
from brokerui.messaging.clock import now
from brokerui.messaging.errors import NotHostedError
from brokerui.messaging.estate_writes import follow_queues
from brokerui.messaging.exchange.forwarded_messages import publish_forwarded
from brokerui.messaging.exchange.lists import leave_shard, run, take_shard, waiting
from brokerui.messaging.exchange.outbox import hand_over, has_room, redis
from brokerui.messaging.models import HostedInstance
from brokerui.messaging.queue_monitors.signals import messages_came
from brokerui.messaging.workers.delayed_acks import FEW, DelayedAcks
from routing.dialog.batch import ClaimRequest
from routing.dialog.unit_of_work import OutboundFrame
from routing.runtime.broker import Broker
from routing.runtime.store import Conflict

P = ParamSpec("P")

PAUSE_SECONDS: Final = 0.005
"""Seconds between two checks whether the endpoint has taken frames from a full list."""
TURN_SECONDS: Final = 2.0
"""Longest time for one instance or shard before the others get their turn, in seconds."""
BYTES_AT_ONCE: Final = 1 << 20
"""Bytes of arrived frames in one batch: some hundreds of small messages."""


def _while_hosted(work: Callable[P, bool]) -> Callable[P, bool]:
    """Decorator: return False if the instance is no longer hosted."""

    @wraps(work)
    def tried(*args: P.args, **kwargs: P.kwargs) -> bool:
        try:
            return work(*args, **kwargs)
        except NotHostedError:
            return False

    return tried


@_while_hosted
def drain(instance: str) -> bool:
    """Do everything that is due in the conversations of an instance. Returns whether more is left."""
    end = time.monotonic() + TURN_SECONDS
    while time.monotonic() < end:
        if not has_room(instance):
            time.sleep(PAUSE_SECONDS)  # the endpoint takes its frames, or is not running
        elif not _drain_once(working_broker_of(instance)):
            return False
    return True


@contextmanager
def _before_applications(broker: Broker, at: int) -> Iterator[None]:
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
        raise


def _drain_once(broker: Broker) -> bool:
    """Do one batch. False where nothing is due or other workers hold all of it."""
    at = now()
    try:
        with _before_applications(broker, at):
            is_more = broker.turn(at)
    except Conflict:
        return True  # another worker was first: look again for the rest
    _give_out(broker, at, broker.frames_to_send(at))
    return is_more


def follow_estate(instance: str) -> None:
    """Follow a new version of the estate: switch queues on or off, and make all waiting conversations due (MATCH-7)."""
    broker = broker_of(instance)
    version = live_version()
    rows = HostedInstance.objects.filter(name=instance, followed_version__lt=version)
    with transaction.atomic():
        if rows.update(followed_version=version):
            _follow_queues(broker_of(instance, in_transaction=True))
            transaction.on_commit(lambda: broker.retry_all(now()))


def _follow_queues(broker: Broker) -> None:
    work = broker.work(ClaimRequest(), now())
    follow_queues(broker, work)
    broker.commit(work)


@_while_hosted
def is_due(instance: str) -> bool:
    """Whether a conversation of the instance is due."""
    due = broker_of(instance).store.next_due()
    return due is not None and due <= now()


def arrived(instances: Iterable[str]) -> list[tuple[str, int]]:
    """The pairs of instance and shard in which arrived frames wait."""
    hosted = set(instances)
    return [(name, to) for name, to in waiting(redis()) if name in hosted and isinstance(to, int)]


@_while_hosted
def take_in(instance: str, shard: int, keeping: DelayedAcks | None = None) -> bool:
    """Process the arrived frames of one shard, unless another worker does. Returns whether more are left.

    `keeping` sends the delayed acknowledgements later.
    """
    frames: list[bytes] = []
    worker, end = uuid4().hex, time.monotonic() + TURN_SECONDS
    try:
        while time.monotonic() < end:
            frames = run(redis(), take_shard(instance, shard, BYTES_AT_ONCE, worker))
            if not frames:
                return False
            _take(working_broker_of(instance), frames, keeping)
        return True
    finally:
        if frames:
            _leave(instance, shard, worker)


def _take(broker: Broker, frames: Sequence[bytes], keeping: DelayedAcks | None) -> None:
    at = now()
    try:
        with _before_applications(broker, at):
            broker.receive(frames, at, is_async_commit=keeping is not None and len(frames) <= FEW)
        given = broker.frames_to_send(at)
        at_once = keeping.keep(broker, given, len(frames)) if keeping else given
        if at_once:
            broker.store.flush()
    except Conflict:
        return  # lost on the network, as far as their senders can tell: they send them again (ACK-3)
    _give_out(broker, at, at_once)


def _give_out(broker: Broker, at: int, frames: Sequence[OutboundFrame]) -> None:
    messages_came(broker, broker.filled())
    hand_over(broker.instance, frames, broker.events())
    publish_forwarded(broker, at)


def _leave(instance: str, shard: int, worker: str) -> None:
    try:
        run(redis(), leave_shard(instance, shard, worker))
    except (RedisError, OSError):
        return  # it is another's before long

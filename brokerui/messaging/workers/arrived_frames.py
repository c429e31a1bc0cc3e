"""A worker processes the frames that arrived from the network for an instance, shard by shard.

The endpoint has put them into Redis lists (`exchange.lists`). `routing.runtime.broker.Broker.receive` decides what each
of them does; acknowledgements leave only after the commit (ACK-5).
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from typing import Final
from uuid import uuid4

from redis import RedisError

from brokerui.messaging.broker_cache import working_broker_of
from brokerui.messaging.clock import now
from brokerui.messaging.exchange.lists import leave_shard, run, take_shard, waiting
from brokerui.messaging.exchange.outbox import redis
from brokerui.messaging.workers.delayed_acks import FEW, DelayedAcks
from brokerui.messaging.workers.turns import TURN_SECONDS, before_applications, give_out, while_hosted
from routing.runtime.broker import Broker
from routing.runtime.store import Conflict

BYTES_AT_ONCE: Final = 1 << 20
"""Bytes of arrived frames in one batch: some hundreds of small messages."""


def waiting_shards(instances: Iterable[str]) -> list[tuple[str, int]]:
    """The pairs of instance and shard in which arrived frames wait."""
    hosted = set(instances)
    return [(name, to) for name, to in waiting(redis()) if name in hosted and isinstance(to, int)]


@while_hosted
def process_arrived(instance: str, shard: int, keeping: DelayedAcks | None = None) -> bool:
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
        with before_applications(broker, at):
            broker.receive(frames, at, is_async_commit=keeping is not None and len(frames) <= FEW)
        given = broker.frames_to_send(at)
        at_once = keeping.keep(broker, given, len(frames)) if keeping else given
        if at_once:
            broker.store.flush()
    except Conflict:
        return  # lost on the network, as far as their senders can tell: they send them again (ACK-3)
    give_out(broker, at, at_once)


def _leave(instance: str, shard: int, worker: str) -> None:
    try:
        run(redis(), leave_shard(instance, shard, worker))
    except (RedisError, OSError):
        return  # it is another's before long

"""A worker processes the frames that arrived from the network for an instance.

The endpoint has put them into Redis lists (`exchange.lists`). `routing.runtime.broker.Broker.receive` decides what each
of them does; acknowledgements leave only after the commit (ACK-5).
"""

from __future__ import annotations

import time
from collections.abc import Sequence

from redis import RedisError

from brokerui.messaging.broker_cache import working_broker_of
from brokerui.messaging.clock import now
from brokerui.messaging.exchange.lists import leave_shards, post, run
from brokerui.messaging.exchange.outbox import redis
from brokerui.messaging.workers.arrived_lists import TakenAhead, new_worker, taking
from brokerui.messaging.workers.delayed_acks import FEW, DelayedAcks
from brokerui.messaging.workers.turns import TURN_SECONDS, before_applications, give_out, while_hosted
from routing.runtime.broker import Broker
from routing.runtime.store import Conflict


@while_hosted
def process_arrived(
    instance: str, shards: Sequence[int], keeping: DelayedAcks | None = None, ahead: TakenAhead | None = None
) -> bool:
    """Process the arrived frames of shards, of several in one batch, unless other workers do. Returns whether more are
    left.

    `keeping` sends the delayed acknowledgements later. `ahead`: what the worker has taken from these shards already.
    """
    worker, end = ahead.worker if ahead else new_worker(), time.monotonic() + TURN_SECONDS
    take = taking(instance, shards, worker)
    taken = set[int]()
    try:
        while time.monotonic() < end:
            arrived = ahead.arrived if ahead else run(redis(), take)
            ahead = None
            taken.update(arrived.shards)
            if arrived.frames:
                _take(working_broker_of(instance), arrived.frames, keeping)
            if not arrived.is_more:
                return False
        return True
    finally:
        if taken:
            _leave(instance, sorted(taken), worker)


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


def _leave(instance: str, shards: Sequence[int], worker: str) -> None:
    try:
        post(redis(), leave_shards(instance, shards, worker))
    except (RedisError, OSError):
        return  # they are another's before long

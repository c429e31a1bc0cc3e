"""Messages that hosted instances forward, as workers show them; only memory holds them (`routing.runtime.forwarding`).

A worker shows what it holds after each of its turns; what it does not show again counts no longer after some seconds.
"""

from __future__ import annotations

import json
import os
import threading
import time
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Final, NamedTuple

from redis import Redis, RedisError

from brokerui.core.redis_keys import FORWARDED
from brokerui.core.redis_values import fields_readable
from brokerui.messaging.exchange.outbox import redis
from routing.common.network_events import ForwardedMessage
from routing.runtime.broker import Broker
from routing.runtime.forwarding import HeldForHop

KEPT_SECONDS: Final = 10
MOST: Final = 1_000
"""Rows that one worker shows of an instance."""


class HeldByWorker(NamedTuple):
    """The fragments that one worker holds for an instance."""

    instance: str
    hops: list[HeldForHop]
    limit_bytes: int
    """The most that it holds: MESSAGE_FORWARD_SIZE, for each worker."""

    @property
    def size(self) -> int:
        """Bytes of all of them."""
        return sum(hop.size for hop in self.hops)


class _ShownByOne(NamedTuple):
    instance: str
    shown_at: float
    rows: list[ForwardedMessage]
    hops: list[HeldForHop]
    limit_bytes: int


_shown: set[str] = set()
"""Fields that this process has written and not taken back."""


def publish_forwarded(broker: Broker, at: int) -> None:
    """Publish the messages that this thread's broker forwards now."""
    if not len(broker.forwarder) and not _shown:
        return  # as nearly always
    field = f"{broker.instance}\0{os.getpid()}\0{threading.get_ident()}"
    if not len(broker.forwarder) and field not in _shown:
        return
    rows = list(islice(broker.forwarder.rows(at), MOST))
    hops = list(broker.forwarder.by_hop(at))
    try:
        _write(field, rows, hops, broker.forwarder.limits.memory_bytes)
    except (RedisError, OSError):
        return  # it is shown the next time


def _write(field: str, rows: list[ForwardedMessage], hops: Sequence[HeldForHop] = (), limit_bytes: int = 0) -> None:
    if not rows:
        redis().hdel(FORWARDED, field)
        _shown.discard(field)
        return
    with redis().pipeline() as pipe:
        pipe.hset(FORWARDED, field, json.dumps([time.time(), rows, hops, limit_bytes]))
        pipe.expire(FORWARDED, KEPT_SECONDS)
        pipe.execute()
    _shown.add(field)


def forwarded_messages(client: Redis) -> list[tuple[str, ForwardedMessage]]:
    """Rows of sys.dm_broker_forwarded_messages with their instances, in the order of instance, message and fragment.

    Raises `RedisError`.
    """
    return sorted(_rows(client), key=lambda found: (found[0], found[1].message_id, found[1].message_fragment_number))


def _rows(client: Redis) -> Iterator[tuple[str, ForwardedMessage]]:
    for shown in _lately(client):
        yield from ((shown.instance, row) for row in shown.rows)


def held_by_workers(client: Redis) -> list[HeldByWorker]:
    """Return the fragments that each worker holds, in the order of instances. Raises `RedisError`."""
    found = (HeldByWorker(shown.instance, shown.hops, shown.limit_bytes) for shown in _lately(client))
    return sorted(found, key=lambda held: held.instance)


def _lately(client: Redis) -> Iterator[_ShownByOne]:
    oldest = time.time() - KEPT_SECONDS
    found = fields_readable(FORWARDED, client.hgetall(FORWARDED), _shown_by_one)
    return (shown for shown in found if shown.shown_at >= oldest)


def _shown_by_one(pair: tuple[bytes, bytes]) -> _ShownByOne:
    """Read what one worker shows; a worker of an earlier release shows rows alone."""
    field, value = pair
    shown_at, rows, *sums = json.loads(value)
    hops, limit = sums or ([], 0)
    held = [HeldForHop(*hop) for hop in hops]
    instance = field.decode().partition("\0")[0]
    return _ShownByOne(instance, float(shown_at), [ForwardedMessage(*row) for row in rows], held, int(limit))

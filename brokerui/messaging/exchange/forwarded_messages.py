"""Messages that hosted instances forward, as workers show them; only memory holds them (`routing.runtime.forwarding`).

A worker shows what it holds after each of its turns; what it does not show again counts no longer after some seconds.
"""

from __future__ import annotations

import json
import os
import threading
import time
from collections.abc import Iterator
from itertools import islice
from typing import Final

from redis import Redis, RedisError

from brokerui.core.redis_keys import FORWARDED
from brokerui.core.redis_values import fields_readable
from brokerui.messaging.exchange.outbox import redis
from routing.common.network_events import ForwardedMessage
from routing.runtime.broker import Broker

KEPT_SECONDS: Final = 10
MOST: Final = 1_000
"""Rows that one worker shows of an instance."""

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
    try:
        _write(field, rows)
    except (RedisError, OSError):
        return  # it is shown the next time


def _write(field: str, rows: list[ForwardedMessage]) -> None:
    if not rows:
        redis().hdel(FORWARDED, field)
        _shown.discard(field)
        return
    with redis().pipeline() as pipe:
        pipe.hset(FORWARDED, field, json.dumps([time.time(), rows]))
        pipe.expire(FORWARDED, KEPT_SECONDS)
        pipe.execute()
    _shown.add(field)


def forwarded_messages(client: Redis) -> list[tuple[str, ForwardedMessage]]:
    """Rows of sys.dm_broker_forwarded_messages with their instances, in the order of instance, message and fragment.

    Raises `RedisError`.
    """
    return sorted(_rows(client), key=lambda found: (found[0], found[1].message_id, found[1].message_fragment_number))


def _rows(client: Redis) -> Iterator[tuple[str, ForwardedMessage]]:
    oldest = time.time() - KEPT_SECONDS
    for instance, shown_at, rows in fields_readable(FORWARDED, client.hgetall(FORWARDED), _shown_by_one):
        if shown_at >= oldest:
            yield from ((instance, row) for row in rows)


def _shown_by_one(pair: tuple[bytes, bytes]) -> tuple[str, float, list[ForwardedMessage]]:
    """Return the instance, the moment and the rows that one worker shows."""
    field, value = pair
    shown_at, rows = json.loads(value)
    return field.decode().partition("\0")[0], float(shown_at), [ForwardedMessage(*row) for row in rows]

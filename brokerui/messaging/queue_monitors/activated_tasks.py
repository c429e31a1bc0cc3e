"""The readers of a queue: each has one of as many places as there may be readers, until it ends.

A place is reserved when a reader is started, and is the reader's own from when it runs; a running reader renews it
again and again. So a reader that has died, or whose task was lost, needs no report.
"""

from __future__ import annotations

import json
import os
import socket
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from threading import Event, Thread
from typing import Any, Final, NamedTuple
from uuid import uuid4

from redis import RedisError

from brokerui.core.redis_keys import READERS
from brokerui.core.redis_values import members_readable
from brokerui.messaging.clock import now
from brokerui.messaging.exchange.outbox import redis
from brokerui.messaging.queue_address import QueueAddress

RESERVED_MS: Final = 30_000
"""How long a place waits for its reader."""
ALIVE_MS: Final = 15_000
"""How long a reader is believed to run."""
SAID_SECONDS: Final = 5.0
"""After which it says that it does."""

_RESERVE: Final = """
    redis.call('zremrangebyscore', KEYS[1], '-inf', ARGV[1])
    if redis.call('zcard', KEYS[1]) >= tonumber(ARGV[2]) then return 0 end
    redis.call('zadd', KEYS[1], ARGV[3], ARGV[4])
    redis.call('pexpire', KEYS[1], ARGV[5])
    return 1
"""
_TAKE: Final = """
    if redis.call('zrem', KEYS[1], ARGV[1]) == 0 then return 0 end
    redis.call('zadd', KEYS[1], ARGV[2], ARGV[3])
    return 1
"""


class ActivatedTask(NamedTuple):
    """One that runs, or is on its way: then it has no process."""

    token: str
    procedure: str
    process: int = 0
    host: str = ""
    since: int = 0


def readers_of(place: QueueAddress) -> list[ActivatedTask]:
    """Return the readers of a queue that are alive. Raises `redis.RedisError`."""
    return readers_of_all([place])[0]


def readers_of_all(places: Sequence[QueueAddress]) -> list[list[ActivatedTask]]:
    """Return the readers of each queue that are alive, in one round trip. Raises `redis.RedisError`."""
    pipeline = redis().pipeline(transaction=False)
    for place in places:
        pipeline.zrangebyscore(_key(place), now(), "+inf")
    return [_readers(place, found) for place, found in zip(places, pipeline.execute(), strict=True)]


def _readers(place: QueueAddress, found: Sequence[object]) -> list[ActivatedTask]:
    members = [member for member in found if isinstance(member, bytes)]
    return members_readable(_key(place), members, _reader_from)


def _reader_from(member: bytes) -> ActivatedTask:
    values: list[Any] = json.loads(member)
    if [type(value) for value in values[1:3]] != [str, int]:
        raise TypeError("no reader")
    return ActivatedTask(*values)


def reserve(place: QueueAddress, procedure: str, most: int) -> ActivatedTask | None:
    """A place for another reader; None: as many as may be are there."""
    reader, at = ActivatedTask(str(uuid4()), procedure), now()
    given = (at, most, at + RESERVED_MS, json.dumps(reader), 2 * RESERVED_MS)
    return reader if redis().eval(_RESERVE, 1, _key(place), *given) else None


def give_up(place: QueueAddress, reader: ActivatedTask) -> None:
    """Remove a reader that could not be started, or has ended."""
    redis().zrem(_key(place), json.dumps(reader))


@contextmanager
def running(place: QueueAddress, reserved: ActivatedTask) -> Iterator[ActivatedTask | None]:
    """A reader in the place that was reserved for it; None: it was not for long enough, or another has it already."""
    reader = reserved._replace(process=os.getpid(), host=socket.gethostname(), since=now())
    given = (json.dumps(reserved), now() + ALIVE_MS, json.dumps(reader))
    if not redis().eval(_TAKE, 1, _key(place), *given):
        yield None
        return
    is_over = Event()
    saying = Thread(target=_say_again, args=(place, reader, is_over), daemon=True)
    saying.start()
    try:
        yield reader
    finally:
        is_over.set()
        saying.join()
        with suppress(RedisError, OSError):
            give_up(place, reader)


def _say_again(place: QueueAddress, reader: ActivatedTask, is_over: Event) -> None:
    """That it lives, until it does not."""
    while not is_over.wait(SAID_SECONDS):
        with suppress(RedisError, OSError):
            redis().zadd(_key(place), {json.dumps(reader): now() + ALIVE_MS})
            redis().pexpire(_key(place), 2 * RESERVED_MS)


def _key(place: QueueAddress) -> str:
    return f"{READERS}{json.dumps(place)}"

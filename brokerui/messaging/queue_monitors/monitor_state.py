"""Queue monitors: the state of activation of each queue that has it.

INACTIVE: no reader was started; as far as is known there are no messages.
NOTIFIED: a reader was started, and has not received yet.
RECEIVES_OCCURRING: a reader receives, and has not found the queue empty since.

They are kept in Redis. A lost state is worked out anew: at worst one reader too many is started, or one too late.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from brokerui.core.redis_keys import MONITOR
from brokerui.core.redis_values import fields_readable
from brokerui.messaging.clock import now
from brokerui.messaging.exchange.outbox import redis
from brokerui.messaging.queue_address import QueueAddress

INACTIVE: Final = "INACTIVE"
NOTIFIED: Final = "NOTIFIED"
RECEIVES_OCCURRING: Final = "RECEIVES_OCCURRING"

EXTRA_READER_MS: Final = 5_000
"""Another reader is started when the running ones have not found the queue empty for this time, in milliseconds."""
SILENT_MS: Final = 30_000
"""Time after which a reader that ended without a receive, or did not start, is replaced by another one."""
FAILED_MS: Final = 1_000
"""Milliseconds before another reader is started after one that failed, so that failing readers get a pause."""
KEPT_S: Final = 24 * 3600

_FIELDS: Final = ("state", "activated", "emptied", "failed")


class QueueMonitor(NamedTuple):
    """The monitor of a queue. Moments are milliseconds since 1970."""

    state: str = INACTIVE
    last_activated: int | None = None
    """When a reader was started."""
    last_empty: int | None = None
    """When a receive found nothing."""
    last_failed: int | None = None
    """When a reader ended with an error."""


def is_wanted(monitor: QueueMonitor, readers: int, most: int, at: int) -> bool:
    """Whether to start another reader of a queue that has messages for one. `readers`: those that run or are on their
    way."""
    if readers >= most or is_since(monitor.last_failed, at, FAILED_MS):
        return False
    if monitor.state == NOTIFIED:
        return not readers and not is_since(monitor.last_activated, at, SILENT_MS)
    is_enough = monitor.state == RECEIVES_OCCURRING and readers > 0
    return not (is_enough and is_since(monitor.last_activated, at, EXTRA_READER_MS))


def is_since(moment: int | None, at: int, span: int) -> bool:
    """Whether it was within a span before."""
    return moment is not None and at - moment < span


# ---------------------------------------------------------------- kept in Redis


def monitors(places: Sequence[QueueAddress]) -> list[QueueMonitor]:
    """One for each. Raises `redis.RedisError`."""
    pipeline = redis().pipeline(transaction=False)
    for place in places:
        pipeline.hmget(_key(place), _FIELDS)
    return [_monitor(place, found) for place, found in zip(places, pipeline.execute(), strict=True)]


def _monitor(place: QueueAddress, found: Sequence[bytes | None]) -> QueueMonitor:
    """Read the fields of a monitor; those that cannot be read count as not there."""
    there = {name.encode(): value for name, value in zip(_FIELDS, found, strict=True) if value is not None}
    read = dict(fields_readable(_key(place), there, _field))
    return QueueMonitor(str(read.get("state", INACTIVE)), *(read.get(name) for name in _FIELDS[1:]))


def _field(pair: tuple[bytes, bytes]) -> tuple[str, Any]:
    name, value = pair[0].decode(), pair[1].decode()
    if name != "state":
        return name, int(value)
    if value not in (INACTIVE, NOTIFIED, RECEIVES_OCCURRING):
        raise ValueError(value)
    return name, value


def note_started(place: QueueAddress, *, is_extra: bool) -> None:
    """A reader is on its way. An extra one changes nothing: others receive."""
    _set(place, activated=now(), **({} if is_extra else {"state": NOTIFIED}))


def note_failed(place: QueueAddress) -> None:
    """A reader has ended with an error."""
    _set(place, failed=now())


def note_receive(place: QueueAddress, *, is_empty: bool) -> bool:
    """Somebody has received. Whether the queue was found empty, for the first time since."""
    state = INACTIVE if is_empty else RECEIVES_OCCURRING
    is_other = redis().hget(_key(place), "state") != state.encode()
    if is_empty:
        _set(place, state=state, emptied=now())
    elif is_other:
        _set(place, state=state)
    return is_empty and is_other


def _set(place: QueueAddress, **values: str | int) -> None:
    pipeline = redis().pipeline()
    for name, value in values.items():
        pipeline.hset(_key(place), name, str(value))
    pipeline.expire(_key(place), KEPT_S)
    pipeline.execute()


def _key(place: QueueAddress) -> str:
    return f"{MONITOR}{json.dumps(place)}"

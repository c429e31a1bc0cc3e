"""The heartbeat of the workers: when one of them last did something. Kept in Redis: no write to the database.

Beat has a task sent to the queue `maintenance`; the worker that does it sends one on to the queue `pipeline`.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import NamedTuple

from django.conf import settings

from brokerui.core.redis_aside import values_put_aside
from brokerui.core.redis_client import ThreadRedis, redis_client
from brokerui.core.redis_keys import PULSE, PULSE_OF_PIPELINE, PULSE_SINCE

MISSED_BEATS = 4
"""After this many heartbeats that did not come, the workers count as stopped."""
SETTLED_BEATS = 1
"""Processes start one after the other: that of the pipeline may be missing for this many heartbeats of the others."""
KEPT_FOR = timedelta(days=1)
ANSWER_S = 2.0


class Heartbeats(NamedTuple):
    """The heartbeats of all workers."""

    last: datetime | None
    """When a worker of the other queues last sent one; None: not for a day, or not since Redis started."""
    since: datetime | None
    """Since when they have come without a gap; None: they do not come."""
    of_pipeline: datetime | None
    """When a worker of the queue `pipeline` last sent one, as `last`; it sends none while it does a round."""

    @property
    def is_late(self) -> bool:
        """Whether no worker of the other queues is at work, or beat is not."""
        return heartbeat_is_late(self.last)

    @property
    def lacks_pipeline(self) -> bool:
        """Whether the other workers are at work, and none takes the tasks of the queue `pipeline`."""
        settled = timedelta(seconds=SETTLED_BEATS * settings.PULSE_SECONDS)
        is_settled = self.since is not None and datetime.now(UTC) - self.since >= settled
        return is_settled and not self.is_late and heartbeat_is_late(self.of_pipeline)


def heartbeat_send() -> None:
    """Store that a worker runs now. Raises `RedisError`."""
    client = _client()
    for key in (PULSE, PULSE_SINCE):
        _moment(client, key)  # foreign data in a key is put aside, and not written over
    moment = datetime.now(UTC).isoformat()
    client.set(PULSE, moment, ex=KEPT_FOR)
    client.set(PULSE_SINCE, moment, ex=_gap(), nx=True)
    client.expire(PULSE_SINCE, _gap())


def heartbeat_of_pipeline_send() -> None:
    """Store that a worker of the queue `pipeline` runs now. Raises `RedisError`."""
    client = _client()
    _moment(client, PULSE_OF_PIPELINE)
    client.set(PULSE_OF_PIPELINE, datetime.now(UTC).isoformat(), ex=KEPT_FOR)


def heartbeat_last() -> datetime | None:
    """Return when a worker last sent its heartbeat; None: not for a day, or not since Redis started.

    Raises `RedisError`.
    """
    return _moment(_client(), PULSE)


def heartbeats() -> Heartbeats:
    """Return the heartbeats of all workers. Raises `RedisError`."""
    client = _client()
    return Heartbeats(*(_moment(client, key) for key in (PULSE, PULSE_SINCE, PULSE_OF_PIPELINE)))


def heartbeat_is_late(last: datetime | None) -> bool:
    """Return whether a worker should have sent another heartbeat by now."""
    return last is None or datetime.now(UTC) - last > _gap()


def _gap() -> timedelta:
    return timedelta(seconds=MISSED_BEATS * settings.PULSE_SECONDS)


def _client() -> ThreadRedis:
    return redis_client(connect_s=ANSWER_S, answer_s=ANSWER_S)


def _moment(client: ThreadRedis, key: str) -> datetime | None:
    """Return the moment that a key holds; foreign data in it is put aside."""
    text = client.get(key)
    if not isinstance(text, bytes):
        return None
    try:
        return datetime.fromisoformat(text.decode()).astimezone(UTC)
    except (ValueError, OverflowError):
        client.delete(key)
        values_put_aside(client, key, [text])
        return None

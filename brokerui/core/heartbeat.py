"""The heartbeat of the workers: when one of them last did something. Kept in Redis: no write to the database."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from django.conf import settings

from brokerui.core.redis_aside import values_put_aside
from brokerui.core.redis_client import redis_client
from brokerui.core.redis_keys import PULSE

MISSED_BEATS = 4
"""After this many heartbeats that did not come, the workers count as stopped."""
KEPT_FOR = timedelta(days=1)
ANSWER_S = 2.0


def heartbeat_send() -> None:
    """Store that a worker runs now. Raises `RedisError`."""
    heartbeat_last()  # foreign data in its key is put aside, and not written over
    redis_client(connect_s=ANSWER_S, answer_s=ANSWER_S).set(PULSE, datetime.now(UTC).isoformat(), ex=KEPT_FOR)


def heartbeat_last() -> datetime | None:
    """Return when a worker last sent its heartbeat; None: not for a day, or not since Redis started.

    Raises `RedisError`.
    """
    client = redis_client(connect_s=ANSWER_S, answer_s=ANSWER_S)
    text = client.get(PULSE)
    if not isinstance(text, bytes):
        return None
    try:
        return datetime.fromisoformat(text.decode()).astimezone(UTC)
    except (ValueError, OverflowError):
        client.delete(PULSE)
        values_put_aside(client, PULSE, [text])
        return None


def heartbeat_is_late(last: datetime | None) -> bool:
    """Return whether a worker should have sent another heartbeat by now."""
    return last is None or datetime.now(UTC) - last > timedelta(seconds=MISSED_BEATS * settings.PULSE_SECONDS)

"""The heartbeat of the workers: when one of them last did something. Kept in Redis: no write to the database."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from django.conf import settings

from brokerui.core.redis_client import redis_client

KEY = "brokerui:pulse"
MISSED_BEATS = 4
"""After this many heartbeats that did not come, the workers count as stopped."""
KEPT_FOR = timedelta(days=1)
ANSWER_S = 2.0


def heartbeat_send() -> None:
    """Store that a worker runs now. Raises `RedisError`."""
    redis_client(connect_s=ANSWER_S, answer_s=ANSWER_S).set(KEY, datetime.now(UTC).isoformat(), ex=KEPT_FOR)


def heartbeat_last() -> datetime | None:
    """Return when a worker last sent its heartbeat; None: not for a day, or not since Redis started.

    Raises `RedisError`.
    """
    text = redis_client(connect_s=ANSWER_S, answer_s=ANSWER_S).get(KEY)
    return datetime.fromisoformat(text.decode()) if isinstance(text, bytes) else None


def heartbeat_is_late(last: datetime | None) -> bool:
    """Return whether a worker should have sent another heartbeat by now."""
    return last is None or datetime.now(UTC) - last > timedelta(seconds=MISSED_BEATS * settings.PULSE_SECONDS)

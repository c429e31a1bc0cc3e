"""The pulse of the workers: when one of them last did something. In Redis, where it costs the database nothing."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from django.conf import settings
from redis import Redis

KEY = "brokerui:pulse"
MISSED = 4
"""After so many that did not come nobody works."""
KEPT = timedelta(days=1)
ANSWER_SECONDS = 2.0


def redis_client() -> Redis:
    """Gives up soon where nobody answers."""
    return Redis.from_url(
        settings.REDIS_URL, socket_connect_timeout=ANSWER_SECONDS, socket_timeout=ANSWER_SECONDS, decode_responses=True
    )


def pulse_beat() -> None:
    """A worker lives."""
    with redis_client() as client:
        client.set(KEY, datetime.now(UTC).isoformat(), ex=KEPT)


def pulse_last() -> datetime | None:
    """When a worker last said so; None: not for a day, or not since Redis started. Raises `RedisError`."""
    with redis_client() as client:
        text = client.get(KEY)
    return datetime.fromisoformat(str(text)) if text else None


def pulse_is_late(last: datetime | None) -> bool:
    """Whether workers should have said so again by now."""
    return last is None or datetime.now(UTC) - last > timedelta(seconds=MISSED * settings.PULSE_SECONDS)

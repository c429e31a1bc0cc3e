"""The users who have a draft open now. Kept in Redis, for all processes; none are known while Redis is away."""

from __future__ import annotations

import time
from typing import Final

from redis.exceptions import RedisError

from brokerui.core.redis_client import redis_client
from brokerui.core.redis_keys import DRAFT_READERS
from brokerui.core.redis_values import members_readable

ANSWER_S: Final = 0.1
"""Timeout of Redis: a page waits for it."""
AWAY_S: Final = 5.0
"""Time for which a Redis that did not answer is not asked again."""
HERE_S: Final = 300
"""A user is here for this time after the last page of the draft."""
MOST: Final = 5
"""Users that are named."""


class _NotAsked:
    """Until when Redis is not asked, by the monotonic clock."""

    until = 0.0


def note_reader(draft: int, name: str) -> list[str]:
    """Note that a user reads a draft now, and return the others who do, the last one first."""
    if time.monotonic() < _NotAsked.until:
        return []
    try:
        return _noted(f"{DRAFT_READERS}{draft}", name, time.time())
    except RedisError:
        _NotAsked.until = time.monotonic() + AWAY_S
        return []


def _noted(key: str, name: str, now: float) -> list[str]:
    client = redis_client(connect_s=ANSWER_S, answer_s=ANSWER_S)
    with client.pipeline() as pipe:
        pipe.zadd(key, {name: now})
        pipe.expire(key, HERE_S)
        pipe.zremrangebyscore(key, "-inf", now - HERE_S)
        pipe.zrevrange(key, 0, MOST)
        found = pipe.execute()[-1]
    names: list[str] = members_readable(key, found, bytes.decode)
    return [other for other in names if other != name][:MOST]

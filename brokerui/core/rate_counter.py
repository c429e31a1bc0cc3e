"""Counts events within a span of time for all processes of the site: in Redis, or in the database while it is away."""

from __future__ import annotations

import time
from datetime import datetime, timedelta
from typing import NamedTuple

from django.db import IntegrityError, transaction
from django.db.models import F
from django.utils import timezone
from redis.exceptions import RedisError

from brokerui.core.models import KEY_MAX_CHARS, RateCounter
from brokerui.core.redis_aside import NO_END, unreadable_put_aside
from brokerui.core.redis_client import redis_client
from brokerui.core.redis_keys import COUNT

ANSWER_S = 0.1
"""Timeout of Redis: a request waits for it."""
AWAY_S = 5.0
"""Time for which a Redis that did not answer is not asked again."""


class Count(NamedTuple):
    """The counter of one key."""

    times: int
    """Events in this span, with the new one."""
    left: float
    """Seconds until the span ends."""


def count_up(key: str, seconds: int) -> Count:
    """Add one event. The first event of a key begins its span, which lasts `seconds`."""
    key = key[:KEY_MAX_CHARS]
    if time.monotonic() >= _away.until:
        try:
            return _in_valkey(key, seconds)
        except RedisError:
            _away.until = time.monotonic() + AWAY_S
    return _in_database(key, seconds)


def rate_counters_prune() -> int:
    """Delete the rows whose span has ended. Return their number."""
    return RateCounter.objects.filter(ends_at__lt=timezone.now()).delete()[0]


class _Away:
    until = 0.0


_away = _Away()


def _in_valkey(key: str, seconds: int) -> Count:
    client = redis_client(connect_s=ANSWER_S, answer_s=ANSWER_S)
    with client.pipeline() as pipe:
        pipe.set(COUNT + key, 0, ex=seconds, nx=True)
        pipe.incr(COUNT + key)
        pipe.pttl(COUNT + key)
        _, count, left_ms = pipe.execute()
    if left_ms == NO_END and unreadable_put_aside(client, [COUNT + key]):
        return _in_valkey(key, seconds)
    return Count(count, left_ms / 1000)


def _in_database(key: str, seconds: int) -> Count:
    now = timezone.now()
    rows, ends_at = RateCounter.objects.filter(key=key), now + timedelta(seconds=seconds)
    # One statement each: no event is lost where two processes count at the same time.
    went_on = rows.filter(ends_at__gt=now).update(count=F("count") + 1)
    if not went_on and not rows.filter(ends_at__lte=now).update(count=1, ends_at=ends_at):
        _begin(key, ends_at)
    row = rows.get()
    return Count(row.count, (row.ends_at - now).total_seconds())


def _begin(key: str, ends_at: datetime) -> None:
    try:
        with transaction.atomic():
            RateCounter.objects.create(key=key, ends_at=ends_at, count=1)
    except IntegrityError:  # another process began the span just now
        RateCounter.objects.filter(key=key).update(count=F("count") + 1)

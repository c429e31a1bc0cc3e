"""How often something happens, for all processes of the site together: in Valkey; in the database while it is away."""

from __future__ import annotations

import time
from datetime import datetime, timedelta
from functools import cache
from typing import NamedTuple

from django.conf import settings
from django.db import IntegrityError, transaction
from django.db.models import F
from django.utils import timezone
from redis import Redis
from redis.exceptions import RedisError

from brokerui.core.models import KEY, Counted

PREFIX = "brokerui:count:"
ANSWER_SECONDS = 0.1
"""A request waits for it."""
AWAY_SECONDS = 5.0
"""So long nobody asks a Valkey that did not answer."""


class Count(NamedTuple):
    """Of one span of time."""

    times: int
    """With this one."""
    left: float
    """Seconds until it is counted anew."""


def count_up(key: str, seconds: int) -> Count:
    """Once more; a span begins with the first time."""
    key = key[:KEY]
    if time.monotonic() >= _away.until:
        try:
            return _in_valkey(key, seconds)
        except RedisError:
            _away.until = time.monotonic() + AWAY_SECONDS
    return _in_database(key, seconds)


def counts_prune() -> int:
    """Delete what nobody counts any more; so many rows."""
    return Counted.objects.filter(ends_at__lt=timezone.now()).delete()[0]


class _Away:
    until = 0.0


_away = _Away()


@cache
def _client(url: str) -> Redis:
    """Shared by the threads of a process; each has a connection of its own."""
    return Redis.from_url(url, socket_connect_timeout=ANSWER_SECONDS, socket_timeout=ANSWER_SECONDS)


def _in_valkey(key: str, seconds: int) -> Count:
    with _client(settings.REDIS_URL).pipeline() as pipe:
        pipe.set(PREFIX + key, 0, ex=seconds, nx=True)
        pipe.incr(PREFIX + key)
        pipe.pttl(PREFIX + key)
        _, count, left = pipe.execute()
    return Count(count, left / 1000)


def _in_database(key: str, seconds: int) -> Count:
    now = timezone.now()
    rows, ends_at = Counted.objects.filter(key=key), now + timedelta(seconds=seconds)
    # One statement each: of two that count at the same time none is lost.
    went_on = rows.filter(ends_at__gt=now).update(count=F("count") + 1)
    if not went_on and not rows.filter(ends_at__lte=now).update(count=1, ends_at=ends_at):
        _begin(key, ends_at)
    row = rows.get()
    return Count(row.count, (row.ends_at - now).total_seconds())


def _begin(key: str, ends_at: datetime) -> None:
    try:
        with transaction.atomic():
            Counted.objects.create(key=key, ends_at=ends_at, count=1)
    except IntegrityError:  # somebody else began it just now
        Counted.objects.filter(key=key).update(count=F("count") + 1)

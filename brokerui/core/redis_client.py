"""The clients of Redis, all made here: each caller says how long it waits for an answer."""

from __future__ import annotations

from functools import cache

from django.conf import settings
from redis import Redis
from redis.asyncio import Redis as AsyncRedis
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff


def redis_client(*, connect_s: float, answer_s: float) -> Redis:
    """Return the client of `REDIS_URL` with these limits: one in each process, with a connection for each thread.

    It gives and takes bytes. Nobody has to close it. Raises `RedisError` where the server does not answer in time.
    """
    return _client(settings.REDIS_URL, connect_s, answer_s)


def async_redis_client(*, connect_s: float, answer_s: float) -> AsyncRedis:
    """Return a client for one event loop; its caller closes it. A connection that broke is replaced once."""
    return AsyncRedis.from_url(
        settings.REDIS_URL,
        socket_connect_timeout=connect_s,
        socket_timeout=answer_s,
        retry=Retry(NoBackoff(), 1),
    )


@cache
def _client(url: str, connect_s: float, answer_s: float) -> Redis:
    return Redis.from_url(url, socket_connect_timeout=connect_s, socket_timeout=answer_s)

"""The clients of Redis, all made here: each caller says how long it waits for an answer.

A command that finds foreign data in a key of ours puts it aside and is run once more (`redis_aside`).
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from functools import cache
from typing import Any

from django.conf import settings
from redis import Redis, ResponseError
from redis.asyncio import Redis as AsyncRedis
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.client import Pipeline
from redis.exceptions import NoScriptError

from brokerui.core.redis_aside import unreadable_put_aside

OTHER_FORM = ("WRONGTYPE", "not an integer", "not a number")
"""Texts in errors that Redis and scripts give for a value that has another form."""


def is_worth_another_try(error: ResponseError, client: Redis, words: Iterable[object]) -> bool:
    """Put foreign data in the keys of a failed command aside. Return whether there was any, or another process may
    have put it aside just now."""
    if isinstance(error, NoScriptError):
        return False
    return unreadable_put_aside(client, words) or any(text in str(error) for text in OTHER_FORM)


class RepairingRedis(Redis):
    """A client whose commands are not kept from their work by foreign data in keys of ours."""

    def execute_command(self, *args: Any, **options: Any) -> Any:
        """Run a command; a second time where the first one met foreign data."""
        try:
            return super().execute_command(*args, **options)
        except ResponseError as error:
            if not is_worth_another_try(error, self, args):
                raise
        return super().execute_command(*args, **options)

    def transaction(self, func: Any, *watches: Any, **options: Any) -> Any:
        """Run a transaction; a second time where it met foreign data in a key that it watches."""
        try:
            return super().transaction(func, *watches, **options)
        except ResponseError as error:
            if not is_worth_another_try(error, self, watches):
                raise
        return super().transaction(func, *watches, **options)

    def pipeline(self, transaction: bool = True, shard_hint: Any = None) -> Pipeline:
        """Return a pipeline that does the same."""
        return RepairingPipeline(self, transaction, shard_hint)


class RepairingPipeline(Pipeline):
    """Commands that make one way; all of them are run again where one met foreign data."""

    def __init__(self, client: Redis, transaction: bool, shard_hint: Any) -> None:
        super().__init__(client.connection_pool, client.response_callbacks, transaction, shard_hint)
        self._client = client

    def execute(self, raise_on_error: bool = True) -> list[Any]:
        """Run the commands, and return their answers."""
        stack = list(self.command_stack)
        try:
            return super().execute(raise_on_error)
        except ResponseError as error:
            if not is_worth_another_try(error, self._client, [word for words, _ in stack for word in words]):
                raise
        self.command_stack = stack
        return super().execute(raise_on_error)


class RepairingAsyncRedis(AsyncRedis):
    """The client for an event loop."""

    async def execute_command(self, *args: Any, **options: Any) -> Any:
        """Run a command; a second time where the first one met foreign data."""
        try:
            return await super().execute_command(*args, **options)
        except ResponseError as error:
            if not await asyncio.to_thread(_is_repaired, error, args):
                raise
        return await super().execute_command(*args, **options)


REPAIR_S = 2.0
"""How long Redis may take to answer while foreign data is put aside, in seconds."""


def _is_repaired(error: ResponseError, words: tuple[Any, ...]) -> bool:
    return is_worth_another_try(error, redis_client(connect_s=REPAIR_S, answer_s=REPAIR_S), words)


def redis_client(*, connect_s: float, answer_s: float) -> Redis:
    """Return the client of `REDIS_URL` with these limits: one in each process, with a connection for each thread.

    It gives and takes bytes. Nobody has to close it. Raises `RedisError` where the server does not answer in time.
    """
    return _client(settings.REDIS_URL, connect_s, answer_s)


def async_redis_client(*, connect_s: float, answer_s: float) -> AsyncRedis:
    """Return a client for one event loop; its caller closes it. A connection that broke is replaced once."""
    return RepairingAsyncRedis.from_url(
        settings.REDIS_URL,
        socket_connect_timeout=connect_s,
        socket_timeout=answer_s,
        retry=Retry(NoBackoff(), 1),
    )


@cache
def _client(url: str, connect_s: float, answer_s: float) -> Redis:
    return RepairingRedis.from_url(url, socket_connect_timeout=connect_s, socket_timeout=answer_s)

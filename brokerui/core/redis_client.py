"""The client of Redis for threads, made here: each caller says how long it waits for an answer.

A command that finds foreign data in a key of ours puts it aside and is run once more (`redis_aside`).
"""

from __future__ import annotations

import atexit
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import Any, cast

from django.conf import settings
from redis import Redis, ResponseError
from redis.client import Pipeline
from redis.exceptions import NoScriptError

from brokerui.core.redis_answers import QuickAnswers
from brokerui.core.redis_aside import unreadable_put_aside
from brokerui.core.redis_connection import Script, ThreadConnection, Words

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
            return self.run_once(args, options)
        except ResponseError as error:
            if not is_worth_another_try(error, self, args):
                raise
        return self.run_once(args, options)

    def run_once(self, words: tuple[Any, ...], options: Mapping[str, Any]) -> Any:
        """Run a command, whatever is in its keys."""
        return super().execute_command(*words, **options)

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


class ThreadRedis(RepairingRedis):
    """The client that has a connection for each thread, and keeps it. Pipelines take others from the pool."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.connection_pool.connection_kwargs["parser_class"] = QuickAnswers
        self._kept = ThreadConnection(self.connection_pool.make_connection, self.parse_response, self._repeat)
        atexit.register(self._kept.settle)

    def run_once(self, words: tuple[Any, ...], options: Mapping[str, Any]) -> Any:
        """Run a command on the connection of this thread."""
        return self._kept.call(words, options)

    def run_all(self, commands: Sequence[tuple[Any, ...]]) -> list[Any]:
        """Run commands on one way, each after the one before; an answer may be an error of the server, which nothing
        mends here. Raises `RedisError` where the connection is lost."""
        return self._kept.call_all(commands)

    def post_script(self, script: Script, words: Words) -> None:
        """Run a script whose answer nobody needs; `words`: the number of keys, keys and arguments. The next command of
        this thread deals with its error. Raises `RedisError`."""
        try:
            self._kept.post(script, words)
        except ResponseError as error:
            self._repeat(error, script, words)

    def close(self) -> None:
        """Close the connection of this thread, and those of pipelines."""
        self._kept.close()
        super().close()

    def _repeat(self, error: ResponseError, script: Script, words: Words) -> None:
        """Run a posted script once more where the server did not know it, or foreign data was put aside."""
        if not isinstance(error, NoScriptError) and not is_worth_another_try(error, self, words):
            raise error
        self._kept.call(("EVAL", script.text, *words), {})


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


def redis_client(*, connect_s: float, answer_s: float) -> ThreadRedis:
    """Return the client of `REDIS_URL` with these limits: one in each process, with a connection for each thread.

    It gives and takes bytes. Nobody has to close it. Raises `RedisError` where the server does not answer in time.
    """
    return _client(settings.REDIS_URL, connect_s, answer_s)


@cache
def _client(url: str, connect_s: float, answer_s: float) -> ThreadRedis:
    return cast("ThreadRedis", ThreadRedis.from_url(url, socket_connect_timeout=connect_s, socket_timeout=answer_s))

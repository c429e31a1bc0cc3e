"""One connection to Redis for each thread, which is kept between commands.

A command that takes a connection from the client's pool and gives it back costs twice the processor time of one
on a kept connection (`benchmarks/messaging/on_redis.py`). The connection itself is the library's.
"""

from __future__ import annotations

import logging
import os
import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from redis import RedisError, ResponseError
from redis.connection import ConnectionInterface

logger = logging.getLogger(__name__)
Words = tuple[Any, ...]


class PostedScript(NamedTuple):
    """A script whose answer nobody waits for."""

    text: str
    digest: str
    """The SHA-1 digest by which Redis knows the script."""
    words: Words
    """The number of keys, the keys, and the arguments."""


class ThreadConnection(threading.local):
    """The connection of the thread that uses it. The child of a fork makes its own."""

    def __init__(
        self,
        make: Callable[[], ConnectionInterface],
        read: Callable[..., Any],
        on_error: Callable[[ResponseError, PostedScript], None],
    ) -> None:
        """`make` returns a connection that is not connected yet; `read` takes one and the name of a command, and
        returns its answer as callers of the client get it. `on_error` is called where a posted script failed, and
        raises `RedisError` where it cannot be mended."""
        self._make = make
        self._read = read
        self._on_error = on_error
        self._connection: Any = None
        self._process = 0
        self._known = set[str]()
        """The digests of scripts that the server knows since this connection was opened."""
        self._posted: PostedScript | None = None
        """Its answer is not read yet."""

    def call(self, words: Words, options: Mapping[str, Any]) -> Any:
        """Run a command, and return its answer. Raises `RedisError`."""
        connection = self._ready()
        connection.send_command(*words)
        return self._read(connection, words[0], **options)

    def call_all(self, commands: Sequence[Words]) -> list[Any]:
        """Send commands on one way, and return their answers; the server runs each once it has answered the one before,
        however long that waits. An error of the server is an answer here: each command has one. Raises `RedisError`
        where the connection is lost."""
        connection = self._ready()
        connection.send_packed_command(connection.pack_commands(commands))
        return [self._answer(connection, words) for words in commands]

    def _answer(self, connection: Any, words: Words) -> Any:
        try:
            return self._read(connection, words[0])
        except ResponseError as error:
            return error

    def post(self, script: PostedScript) -> None:
        """Run a script, and read its answer before the next command. The first time on a connection it waits, as the
        server may not know the script. Raises `RedisError`."""
        connection = self._ready()
        if script.digest in self._known:
            connection.send_command("EVALSHA", script.digest, *script.words)
            self._posted = script
        else:
            self.call(("EVAL", script.text, *script.words), {})
            self._known.add(script.digest)

    def settle(self) -> None:
        """Read the answer of a posted script, if there is one."""
        if self._posted is None:
            return
        posted, self._posted = self._posted, None
        try:
            self._read(self._connection, "EVALSHA")
        except ResponseError as error:
            self._known.clear()
            self._tried_again(error, posted)
        except RedisError as error:
            logger.info("it is not known whether Redis ran a script: %s", error)

    def _tried_again(self, error: ResponseError, posted: PostedScript) -> None:
        try:
            self._on_error(error, posted)
        except RedisError as still:
            logger.warning("Redis did not run a script: %s", still)

    def close(self) -> None:
        """Close the connection; the next command opens it again."""
        if self._connection is not None and self._process == os.getpid():
            self.settle()
            self._connection.disconnect()

    def _ready(self) -> Any:
        if self._process != os.getpid():
            self._connection, self._process, self._posted = self._make(), os.getpid(), None
        self.settle()
        if not self._is_usable():
            self._known.clear()
            self._connection.disconnect()
            self._connection.connect()
        return self._connection

    def _is_usable(self) -> bool:
        """Return False where the server has ended the connection, or something in it answers no command of ours."""
        try:
            return self._connection.is_connected and not self._connection.can_read()
        except (RedisError, OSError):
            return False

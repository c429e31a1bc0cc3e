"""One connection to Redis for each thread, which is kept between commands.

A command that takes a connection from the client's pool and gives it back costs twice the processor time of one
on a kept connection (`benchmarks/messaging/on_redis.py`). The connection itself is the library's; commands are packed
here, as the library calls two functions for each word of a command.
"""

from __future__ import annotations

import logging
import os
import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import hiredis
from redis import DataError, RedisError, ResponseError
from redis.connection import ConnectionInterface

logger = logging.getLogger(__name__)
Words = tuple[Any, ...]


class Script(NamedTuple):
    """A script that runs inside Redis."""

    text: str
    digest: str
    """The SHA-1 digest by which Redis knows the script."""


class ThreadConnection(threading.local):
    """The connection of the thread that uses it. The child of a fork makes its own."""

    def __init__(
        self,
        make: Callable[[], ConnectionInterface],
        read: Callable[..., Any],
        on_error: Callable[[ResponseError, Script, Words], None],
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
        self._posted: tuple[Script, Words] | None = None
        """The script whose answer is not read yet: with the number of its keys, its keys, and its arguments."""

    def call(self, words: Words, options: Mapping[str, Any]) -> Any:
        """Run a command, and return its answer. Raises `RedisError`."""
        connection = self._ready()
        connection.send_packed_command([packed(words)])
        return self._read(connection, words[0], **options)

    def call_all(self, commands: Sequence[Words]) -> list[Any]:
        """Send commands on one way, and return their answers; the server runs each once it has answered the one before,
        however long that waits. An error of the server is an answer here: each command has one. Raises `RedisError`
        where the connection is lost."""
        connection = self._ready()
        connection.send_packed_command([b"".join(map(packed, commands))])
        return [self._answer(connection, words) for words in commands]

    def _answer(self, connection: Any, words: Words) -> Any:
        try:
            return self._read(connection, words[0])
        except ResponseError as error:
            return error

    def post(self, script: Script, words: Words) -> None:
        """Run a script, and read its answer before the next command; `words`: the number of keys, keys and arguments.
        The first time on a connection it waits, as the server may not know the script. Raises `RedisError`."""
        connection = self._ready()
        if script.digest in self._known:
            connection.send_packed_command([packed(("EVALSHA", script.digest, *words))])
            self._posted = script, words
        else:
            self.call(("EVAL", script.text, *words), {})
            self._known.add(script.digest)

    def settle(self) -> None:
        """Read the answer of a posted script, if there is one."""
        if self._posted is None:
            return
        posted, self._posted = self._posted, None
        try:
            self._connection.read_response()
        except ResponseError as error:
            self._known.clear()
            self._tried_again(error, *posted)
        except RedisError as error:
            logger.info("it is not known whether Redis ran a script: %s", error)

    def _tried_again(self, error: ResponseError, script: Script, words: Words) -> None:
        try:
            self._on_error(error, script, words)
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


def packed(words: Words) -> bytes:
    """Return a command as the server takes it. The library names some commands by several words in one."""
    name = words[0]
    try:
        raw: bytes = hiredis.pack_command((*name.split(), *words[1:]) if " " in name else words)
    except TypeError as error:
        raise DataError(error) from error
    return raw

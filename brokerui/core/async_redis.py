"""The client of an event loop for Redis: commands of all tasks share one connection, and none waits for another.

The endpoint asks Redis a few times for each message, and a command of the library's asyncio client takes six times the
processor time of one here (`benchmarks/messaging/on_redis.py`). Parts of the library read the URL, pack commands, parse
answers, and configure TLS.
"""

from __future__ import annotations

import asyncio
import ssl
from collections import deque
from collections.abc import Iterable
from typing import Any, Final, Self

import hiredis
from redis.asyncio.connection import RedisSSLContext
from redis.connection import SSLConnection, parse_url
from redis.exceptions import ConnectionError as RedisConnectionError
from redis.exceptions import InvalidResponse, NoScriptError, RedisError, ResponseError
from redis.exceptions import TimeoutError as RedisTimeoutError

from brokerui.core.redis_client import is_worth_another_try, redis_client

REPAIR_S: Final = 2.0
"""How long Redis may take to answer while foreign data is put aside, in seconds."""
_UNFINISHED: Final = object()
DEFAULT_PORT: Final = 6379


class AsyncRedis:
    """Connects with its first command, and anew with the first one after a loss. Commands that were on their way then
    fail: it is not known whether Redis has run them."""

    def __init__(self, url: str, *, connect_s: float, answer_s: float) -> None:
        """`answer_s`: how long Redis may take to answer, beyond the time that a command asks it to wait."""
        self._url = url
        self._answer_s = answer_s
        self._commands = _Reconnecting(url, connect_s)
        self._waiting = _Reconnecting(url, connect_s)

    async def call(self, *words: str | bytes | float) -> Any:
        """Run a command, and return its answer as the server gives it; a second time where the first one met foreign
        data. Raises `RedisError`."""
        try:
            return await self._commands.call(words, self._answer_s)
        except ResponseError as error:
            if not await asyncio.to_thread(_is_repaired, error, words):
                raise
        return await self._commands.call(words, self._answer_s)

    async def popped(self, key: str, wait_s: float) -> Any:
        """BLPOP of one list: its key and a value, or None. It has a connection of its own, on which others do not wait
        for it. Raises `RedisError`."""
        return (await self.popped_before(key, wait_s, ()))[0]

    async def popped_before(
        self, key: str, wait_s: float, commands: Iterable[tuple[Any, ...]]
    ) -> tuple[Any, list[Any | ResponseError]]:
        """The same, and commands that Redis runs once it has answered, whether with a value or not: they go there and
        back on the same way. Returns the answer of each, or its error."""
        words = [("BLPOP", key, wait_s), *commands]
        popped, *answers = await self._waiting.call_all(words, self._answer_s + wait_s)
        for answer in (popped, *answers):
            if isinstance(answer, BaseException) and (answer is popped or not isinstance(answer, ResponseError)):
                raise answer
        return popped, answers

    async def aclose(self) -> None:
        """Close the connections."""
        self._commands.close()
        self._waiting.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_error: object) -> None:
        await self.aclose()


def _is_repaired(error: ResponseError, words: tuple[Any, ...]) -> bool:
    return is_worth_another_try(error, redis_client(connect_s=REPAIR_S, answer_s=REPAIR_S), words)


class _Reconnecting:
    """A connection, or the next one after it was lost."""

    def __init__(self, url: str, connect_s: float) -> None:
        self._url = url
        self._connect_s = connect_s
        self._connection: AsyncRedisConnection | None = None
        self._connecting = asyncio.Lock()

    async def call(self, words: tuple[Any, ...], answer_s: float) -> Any:
        return await (await self._ready()).call(words, answer_s)

    async def call_all(self, commands: Iterable[tuple[Any, ...]], answer_s: float) -> list[Any]:
        """The answers, or the errors, of commands that leave together."""
        connection = await self._ready()
        return await asyncio.gather(*(connection.call(words, answer_s) for words in commands), return_exceptions=True)

    async def _ready(self) -> AsyncRedisConnection:
        connection = self._connection
        if connection is None or connection.is_lost:
            async with self._connecting:
                connection = self._connection
                if connection is None or connection.is_lost:
                    connection = self._connection = await self._connected()
        return connection

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()

    async def _connected(self) -> AsyncRedisConnection:
        try:
            async with asyncio.timeout(self._connect_s):
                return await opened(self._url, self._connect_s)
        except TimeoutError as error:
            raise RedisTimeoutError("Redis took too long to accept a connection") from error
        except OSError as error:
            raise RedisConnectionError(f"Redis cannot be reached: {error}") from error


class AsyncRedisConnection(asyncio.Protocol):
    """A connection whose answers come in the order of its commands."""

    def __init__(self) -> None:
        self.is_lost = False
        self._loop = asyncio.get_running_loop()
        self._reader = hiredis.Reader(protocolError=InvalidResponse, replyError=error_of, notEnoughData=_UNFINISHED)
        self._asked = deque[tuple[asyncio.Future[Any], float]]()
        """For each command without an answer: the future that its caller awaits, and its deadline in seconds of the
        loop's clock."""
        self._timer: asyncio.TimerHandle | None = None
        self._transport: asyncio.Transport | None = None

    def call(self, words: tuple[Any, ...], answer_s: float) -> asyncio.Future[Any]:
        """Send a command; the future has its answer, or an error of Redis after `answer_s` seconds without one."""
        answer, until = self._loop.create_future(), self._loop.time() + answer_s
        if self._transport is None or self.is_lost:
            answer.set_exception(RedisConnectionError("the connection to Redis is closed"))
            return answer
        self._asked.append((answer, until))
        self._transport.write(hiredis.pack_command(words))
        if self._timer is None:
            self._timer = self._loop.call_at(until, self._look)
        return answer

    def close(self) -> None:
        """Close it: commands without an answer fail."""
        if self._transport is not None:
            self._transport.abort()
        self._lose(RedisConnectionError("the connection to Redis was closed"))

    # -------------------------------------------------------------------------------------------- asyncio
    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        self._reader.feed(data)
        try:
            while (answer := self._reader.gets()) is not _UNFINISHED:
                self._give(answer)
        except (InvalidResponse, LookupError) as error:
            self._lose(RedisConnectionError(f"Redis gave an answer that cannot be read: {error}"))
            self.close()

    def connection_lost(self, exc: Exception | None) -> None:
        self._lose(RedisConnectionError(f"the connection to Redis was lost: {exc or 'closed by the server'}"))

    def _give(self, answer: Any) -> None:
        future, _ = self._asked.popleft()
        if future.done():  # its task does not wait for it any more
            return
        if isinstance(answer, Exception):
            future.set_exception(answer)
        else:
            future.set_result(answer)

    def _lose(self, error: RedisConnectionError | RedisTimeoutError) -> None:
        self.is_lost = True
        while self._asked:
            self._give(error)
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _look(self) -> None:
        """Give up where the oldest command had no answer in its time."""
        self._timer = None
        if not self._asked:
            return
        until = self._asked[0][1]
        if until <= self._loop.time():
            self._lose(RedisTimeoutError("Redis did not answer in time"))
            self.close()
        else:
            self._timer = self._loop.call_at(until, self._look)


def error_of(text: str) -> ResponseError:
    """Return the error for the text of an answer."""
    return NoScriptError(text) if text.startswith("NOSCRIPT") else ResponseError(text)


async def opened(url: str, answer_s: float) -> AsyncRedisConnection:
    """Return a connection to the server, as the user and in the database that the URL names. Raises `OSError` and
    `RedisError`."""
    place: dict[str, Any] = dict(parse_url(url))
    connection = await _connected(place)
    try:
        if place.get("password"):
            user = (place["username"],) if place.get("username") else ()
            await connection.call(("AUTH", *user, place["password"]), answer_s)
        if place.get("db"):
            await connection.call(("SELECT", place["db"]), answer_s)
    except RedisError:
        connection.close()
        raise
    return connection


async def _connected(place: dict[str, Any]) -> AsyncRedisConnection:
    loop = asyncio.get_running_loop()
    if "path" in place:
        return (await loop.create_unix_connection(AsyncRedisConnection, place["path"]))[1]
    host, port = place.get("host", "localhost"), place.get("port", DEFAULT_PORT)
    return (await loop.create_connection(AsyncRedisConnection, host, port, ssl=_tls(place)))[1]


def _tls(place: dict[str, Any]) -> ssl.SSLContext | None:
    if not issubclass(place.get("connection_class", object), SSLConnection):
        return None
    given = {name.removeprefix("ssl_"): value for name, value in place.items() if name.startswith("ssl_")}
    return RedisSSLContext(**{"cert_reqs": "required", "check_hostname": True, **given}).get()

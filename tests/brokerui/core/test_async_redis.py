"""The client of an event loop for Redis: each command has its own answer, and losses are told."""

from __future__ import annotations

import asyncio
import os
import signal
import ssl
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from redis import Redis
from redis.exceptions import ConnectionError as RedisConnectionError
from redis.exceptions import NoScriptError, RedisError, ResponseError
from redis.exceptions import TimeoutError as RedisTimeoutError

from brokerui.core.async_redis import AsyncRedis
from brokerui.core.redis_keys import ENDPOINT
from tests.brokerui.messaging.conftest import client, one_valkey, valkey
from tests.brokerui.messaging.endpoint.certificates import Authority
from tests.brokerui.messaging.endpoint.played import played
from tests.brokerui.messaging.endpoint.valkey import Valkey

__all__ = ["client", "one_valkey", "valkey"]


def play(url: str, scenario: Callable[[AsyncRedis], Awaitable[None]], answer_s: float = 2.0) -> None:
    async def work() -> None:
        async with AsyncRedis(url, connect_s=2.0, answer_s=answer_s) as redis:
            await scenario(redis)

    played(work())


def test_commands_of_many_tasks_have_their_own_answers_on_one_connection(valkey: Valkey, client: Redis) -> None:
    async def scenario(redis: AsyncRedis) -> None:
        answers = await asyncio.gather(*(redis.call("ECHO", str(number)) for number in range(300)))
        assert answers == [b"%d" % number for number in range(300)]
        assert len({await redis.call("CLIENT", "ID") for _ in range(5)}) == 1

    play(valkey.url, scenario)


def test_a_command_that_waits_keeps_no_other_from_its_answer(valkey: Valkey) -> None:
    async def scenario(redis: AsyncRedis) -> None:
        waiting = asyncio.create_task(redis.popped("list", 5))
        assert await redis.call("PING") == b"PONG"
        assert not waiting.done()
        await redis.call("RPUSH", "list", b"value")
        assert await waiting == [b"list", b"value"]
        assert await redis.popped("list", 0.01) is None

    play(valkey.url, scenario)


def test_commands_run_on_the_way_of_a_wait_once_it_is_over(valkey: Valkey) -> None:
    async def scenario(redis: AsyncRedis) -> None:
        waiting = asyncio.create_task(redis.popped_before("list", 5, [("INCR", "turns"), ("LPUSH", "turns", "x")]))
        await redis.call("SET", "turns", "6")
        await redis.call("RPUSH", "list", b"value")
        popped, (turn, error) = await waiting
        assert (popped, turn) == ([b"list", b"value"], 7)
        assert isinstance(error, ResponseError)
        assert await redis.popped_before("list", 0.01, [("GET", "turns")]) == (None, [b"7"])

    play(valkey.url, scenario)


def test_a_wait_for_what_is_no_list_is_an_error(valkey: Valkey) -> None:
    async def scenario(redis: AsyncRedis) -> None:
        await redis.call("SET", "text", "no list")
        with pytest.raises(ResponseError):
            await redis.popped_before("text", 5, [("PING",)])
        assert await redis.popped("list", 0.01) is None

    play(valkey.url, scenario)


def test_a_large_answer_comes_whole(valkey: Valkey) -> None:
    async def scenario(redis: AsyncRedis) -> None:
        body = os.urandom(3_000_000)
        await redis.call("SET", "large", body)
        assert await redis.call("GET", "large") == body

    play(valkey.url, scenario)


def test_the_answer_of_a_cancelled_command_is_given_to_no_other(valkey: Valkey) -> None:
    async def scenario(redis: AsyncRedis) -> None:
        await redis.call("PING")
        cancelled = asyncio.create_task(redis.call("ECHO", "cancelled"))
        await asyncio.sleep(0)
        cancelled.cancel()
        assert await redis.call("ECHO", "mine") == b"mine"

    play(valkey.url, scenario)


def test_errors_of_redis_are_raised(valkey: Valkey) -> None:
    async def scenario(redis: AsyncRedis) -> None:
        with pytest.raises(NoScriptError):
            await redis.call("EVALSHA", "0" * 40, 0)
        with pytest.raises(ResponseError, match="unknown command"):
            await redis.call("NOSUCH")
        assert await redis.call("PING") == b"PONG"

    play(valkey.url, scenario)


def test_foreign_data_in_a_key_of_the_product_is_put_aside(valkey: Valkey, client: Redis, settings: Any) -> None:
    settings.REDIS_URL = valkey.url
    client.set(f"{ENDPOINT}notices", "foreign")

    async def scenario(redis: AsyncRedis) -> None:
        assert await redis.call("RPUSH", f"{ENDPOINT}notices", "ours") == 1

    play(valkey.url, scenario)


def test_a_lost_server_is_told_and_the_next_command_connects_anew(valkey: Valkey) -> None:
    async def scenario(redis: AsyncRedis) -> None:
        waiting = asyncio.create_task(redis.popped("list", 5))
        await redis.call("PING")
        valkey.kill()
        with pytest.raises(RedisConnectionError):
            await waiting
        with pytest.raises(RedisConnectionError):
            await redis.call("PING")
        valkey.start()
        assert await redis.call("PING") == b"PONG"

    play(valkey.url, scenario)


def test_a_server_that_does_not_answer_is_given_up(valkey: Valkey) -> None:
    async def scenario(redis: AsyncRedis) -> None:
        assert valkey.process is not None
        await redis.call("PING")
        os.kill(valkey.process.pid, signal.SIGSTOP)
        try:
            commands = [asyncio.create_task(redis.call("ECHO", str(number))) for number in range(3)]
            for one in commands:
                with pytest.raises(RedisTimeoutError):
                    await one
        finally:
            os.kill(valkey.process.pid, signal.SIGCONT)
        assert await redis.call("ECHO", "later") == b"later"

    play(valkey.url, scenario, answer_s=0.1)


def test_the_user_and_the_database_of_the_url_are_used(valkey: Valkey, client: Redis) -> None:
    client.acl_setuser("somebody", enabled=True, passwords=["+secret"], keys=["*"], commands=["+@all"])
    try:

        async def scenario(redis: AsyncRedis) -> None:
            assert await redis.call("ACL", "WHOAMI") == b"somebody"
            await redis.call("SET", "here", "1")

        play(valkey.url.replace("unix://", "unix://somebody:secret@") + "?db=1", scenario)
        assert client.get("here") is None

        async def refused(redis: AsyncRedis) -> None:
            with pytest.raises(RedisError, match="WRONGPASS"):
                await redis.call("PING")

        play(valkey.url.replace("unix://", "unix://somebody:wrong@"), refused)
    finally:
        client.acl_deluser("somebody")


async def _answered(
    scenario: Callable[[int], Awaitable[None]], answer: bytes, context: ssl.SSLContext | None = None
) -> None:
    """Play a scenario with the port of a server that gives this answer to anything."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while await reader.read(1000):
            writer.write(answer)
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0, ssl=context)
    async with server:
        await scenario(server.sockets[0].getsockname()[1])


def test_a_server_that_speaks_something_else_is_told() -> None:
    async def scenario(port: int) -> None:
        async with AsyncRedis(f"redis://127.0.0.1:{port}", connect_s=2.0, answer_s=2.0) as redis:
            with pytest.raises(RedisConnectionError, match="cannot be read"):
                await redis.call("PING")

    played(_answered(scenario, b"HTTP/1.1 400 Bad Request\r\n\r\n"))


@pytest.mark.parametrize(("checked", "is_accepted"), [("required", False), ("none", True)])
def test_a_server_with_tls_is_spoken_to_if_its_certificate_is_accepted(
    tmp_path: Path, checked: str, is_accepted: bool
) -> None:
    context = Authority(tmp_path).tls("A").accepting
    context.verify_mode = ssl.CERT_NONE

    async def scenario(port: int) -> None:
        url = f"rediss://127.0.0.1:{port}?ssl_cert_reqs={checked}&ssl_check_hostname=false"
        async with AsyncRedis(url, connect_s=2.0, answer_s=2.0) as redis:
            if is_accepted:
                assert await redis.call("PING") == b"PONG"
            else:
                with pytest.raises(RedisConnectionError, match="certificate"):
                    await redis.call("PING")

    played(_answered(scenario, b"+PONG\r\n", context))

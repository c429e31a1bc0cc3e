"""Processor time of one command of Redis in the client, beside that of the library's own clients.

    .venv/bin/python benchmarks/messaging/on_redis.py [--commands 2000]

A script with one kilobyte runs on a Valkey at a socket, one command after the other; of seven rounds in turns the least
counts. The claims: a command on the kept connection of a thread at most 0.7 of one with a connection from the library's
pool, and a command of the event loop's client at most 0.4 of one of the library's asyncio client.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from hashlib import sha1
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent.parent))
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "brokerui.settings")

import redis
import redis.asyncio

from benchmarks.claims import claim, machine
from brokerui.core.async_redis import AsyncRedis
from brokerui.core.redis_client import ThreadRedis
from brokerui.core.redis_connection import Script
from tests.brokerui.messaging.endpoint.valkey import Valkey

SCRIPT = "return redis.call('HINCRBY', KEYS[1], 'field', #ARGV[1])"
DIGEST = sha1(SCRIPT.encode(), usedforsecurity=False).hexdigest()
WORDS = (1, "key", "x" * 1024)
ROUNDS = 7


def of_thread(url: str, count: int) -> list[float]:
    """Microseconds of a command: of the library's client, of ours, and of ours posted."""
    with redis.Redis.from_url(url) as theirs, ThreadRedis.from_url(url) as ours:
        theirs.script_load(SCRIPT)
        return _least(
            lambda: _of_round(count, lambda: theirs.evalsha(DIGEST, *WORDS)),
            lambda: _of_round(count, lambda: ours.evalsha(DIGEST, *WORDS)),
            lambda: _of_round(count, lambda: ours.post_script(Script(SCRIPT, DIGEST), WORDS)),
        )


def of_event_loop(url: str, count: int) -> list[float]:
    """Microseconds of a command: of the library's client, and of ours."""

    async def theirs() -> float:
        async with redis.asyncio.Redis.from_url(url) as client:
            return await _of_awaited_round(count, lambda: client.evalsha(DIGEST, *WORDS))

    async def ours() -> float:
        async with AsyncRedis(url, connect_s=2, answer_s=2) as client:
            return await _of_awaited_round(count, lambda: client.call("EVALSHA", DIGEST, *WORDS))

    return _least(lambda: asyncio.run(theirs()), lambda: asyncio.run(ours()))


def _least(*rounds: Callable[[], float]) -> list[float]:
    """Of each, in turns."""
    return [min(found) for found in zip(*([one() for one in rounds] for _ in range(ROUNDS)), strict=True)]


def _of_round(count: int, command: Callable[[], object]) -> float:
    command()
    began = time.process_time()
    for _ in range(count):
        command()
    return (time.process_time() - began) / count * 1e6


async def _of_awaited_round(count: int, command: Callable[[], Awaitable[object]]) -> float:
    await command()
    began = time.process_time()
    for _ in range(count):
        await command()
    return (time.process_time() - began) / count * 1e6


def run(count: int) -> bool:
    print(machine())
    with tempfile.TemporaryDirectory(prefix="b-", dir="/tmp") as folder, Valkey(Path(folder)) as valkey:
        pooled, kept, posted = of_thread(valkey.url, count)
        library, loop = of_event_loop(valkey.url, count)
    print(f"       from the pool {pooled:.1f} µs, kept {kept:.1f}, posted {posted:.1f}")
    print(f"       the library's asyncio client {library:.1f} µs, ours {loop:.1f}")
    return all(
        [
            claim("a command on the kept connection", kept / pooled, 0.7, "of one from the pool"),
            claim("a command of the event loop's client", loop / library, 0.4, "of one of the library's"),
        ]
    )


def main() -> int:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--commands", type=int, default=2000)
    return int(not run(arguments.parse_args().commands))


if __name__ == "__main__":
    sys.exit(main())

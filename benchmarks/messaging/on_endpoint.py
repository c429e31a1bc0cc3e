"""Cost of the endpoints; see `endpoint.py`."""

from __future__ import annotations

import asyncio
import os
import statistics
import subprocess
import sys
import time
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from django.conf import settings
from redis import Redis

from benchmarks.claims import claim
from brokerui.core.async_redis import AsyncRedis
from brokerui.core.redis_url import redis_url
from brokerui.core.valkey import valkey_command
from brokerui.messaging.endpoint.process import EndpointProcess
from brokerui.messaging.endpoint.stopping import stop_on_signals
from brokerui.messaging.exchange.lists import connections, put_arrived, put_outgoing, run, take_arrived
from routing.adjacent.fragment import (
    INITIATOR,
    Header,
    write_fragment,
)
from routing.adjacent.fragment_names import FragmentNames

HOME = settings.HOME
ANSWER_S = 2.0
SERVE = "import django, sys; django.setup(); from benchmarks.messaging.on_endpoint import main; main(sys.argv[1])"
LEAST = 20_000
MOST_MILLISECONDS = 10.0
ADDRESS = "tcp://127.0.0.1:24022"
AT_ONCE = 400
"""Fragments that a worker hands over together."""
NAMES = FragmentNames(
    "//example.org/Parts/Order", "//example.org/Shop/Order", "//example.org/Order", "//example.org/Request"
)
HOSTED: dict[str, dict[str, tuple[str, ...]]] = {"A": {"A": ()}, "B": {"B": (ADDRESS,)}}


def fragment(number: int) -> bytes:
    conversation = (number % 500 + 1).to_bytes(16, "big")
    return write_fragment(Header(conversation, b"m" * 16, NAMES, INITIATOR, number, 60_000, 10), bytes(1024))


def url(number: int) -> str:
    """A database of the Valkey for each of the two deployments."""
    return f"{redis_url('', HOME)}?db={number}"


def main(name: str) -> None:
    """Of a process that is one of the two endpoints."""
    asyncio.run(serve(name))


async def serve(name: str) -> None:
    async def hosted() -> dict[str, tuple[str, ...]]:
        return HOSTED[name]

    stop = asyncio.Event()
    stop_on_signals(stop)
    async with AsyncRedis(url("AB".index(name)), connect_s=ANSWER_S, answer_s=ANSWER_S) as client:
        await EndpointProcess(client, hosted, lambda: None).run(stop)


def core_seconds(pids: list[int]) -> float:
    """That these processes have used."""
    ticks = 0
    for pid in pids:
        ticks += sum(map(int, Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[11:13]))
    return ticks / os.sysconf("SC_CLK_TCK")


@contextmanager
def processes() -> Iterator[list[int]]:
    valkey = subprocess.Popen(valkey_command(HOME), stdout=subprocess.DEVNULL)
    time.sleep(0.5)
    endpoints = [subprocess.Popen([sys.executable, "-c", SERVE, name]) for name in "AB"]
    try:
        yield [os.getpid(), *(process.pid for process in (valkey, *endpoints))]
    finally:
        for process in (*endpoints, valkey):
            process.terminate()
            process.wait()


def carry(fragments: list[bytes], there: Redis, here: Redis, pids: list[int]) -> float:
    """Seconds of a core until all have come out."""
    begun, used, came, left = time.perf_counter(), core_seconds(pids), 0, deque(fragments)
    while came < len(fragments):
        some = [left.popleft() for _ in range(min(AT_ONCE, len(left)))]
        if some:
            refused: list[bytes] = run(there, put_outgoing("A", [(ADDRESS, raw) for raw in some]))
            left.extendleft(reversed(refused))
        taken = 0
        for shard in range(settings.ENDPOINT_SHARDS):
            frames: list[bytes] = run(here, take_arrived("B", shard, 1 << 18))
            taken += len(frames)
        came += taken
        if not taken:
            time.sleep(0.002)
        assert time.perf_counter() - begun < 300, f"{came} of {len(fragments)}"
    return core_seconds(pids) - used


def through_valkey(fragments: list[bytes], client: Redis, pids: list[int]) -> float:
    used = core_seconds(pids)
    for at in range(0, len(fragments), AT_ONCE):
        run(client, put_arrived("C", fragments[at : at + AT_ONCE]))
        for shard in range(settings.ENDPOINT_SHARDS):
            run(client, take_arrived("C", shard, 1 << 20))
    return core_seconds(pids) - used


def alone(there: Redis, here: Redis, times: int = 300) -> list[float]:
    """Milliseconds for one fragment that nothing goes with."""
    took = []
    for number in range(times):
        raw, begun = fragment(number), time.perf_counter()
        run(there, put_outgoing("A", [(ADDRESS, raw)]))
        while not any(run(here, take_arrived("B", shard, 1)) for shard in range(settings.ENDPOINT_SHARDS)):
            pass
        took.append((time.perf_counter() - begun) * 1000)
        time.sleep(0.005)
    return sorted(took)


def measure(count: int, runs: int) -> bool:
    with processes() as pids, Redis.from_url(url(0)) as there, Redis.from_url(url(1)) as here:
        while not any(run(here, take_arrived("B", shard, 1)) for shard in range(settings.ENDPOINT_SHARDS)):
            run(there, put_outgoing("A", [(ADDRESS, fragment(0))]))  # lost while nobody listens
            time.sleep(0.3)
        fragments = [fragment(number) for number in range(count)]
        rates = [len(fragments) / carry(fragments, there, here, pids) for _ in range(runs)]
        bare = len(fragments) / through_valkey(fragments, there, pids)
        took = alone(there, here)
        assert len(connections(there)) == 1
    rate = statistics.median(rates)
    kept = [
        claim(
            "1 KB, list to list over TCP, a second of one core",
            rate,
            LEAST,
            "",
            f"Valkey alone {bare:,.0f}",
            at_least=True,
        ),
        claim("one alone, median", statistics.median(took), MOST_MILLISECONDS, "ms", f"p99 {took[-3]:.1f} ms"),
    ]
    return all(kept)

"""Time of a RECEIVE on one database; see `store.py`."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple
from uuid import uuid4

from django.core.management import call_command
from django.db import connection

from benchmarks.claims import claim
from benchmarks.messaging.on_store import NOW, QUEUE, Bench
from brokerui.messaging.leases.models import Lease
from routing.dialog.batch import ClaimRequest, ReceiveRequest

RECEIVES = 200
ROUNDS = 9
LEASED, AT_ONCE = 100_000, 500
"""Messages of the group that is leased, and how many of them come in a commit."""
MOST_MS = 20


class Cost(NamedTuple):
    """Of one RECEIVE, in microseconds."""

    client: float
    server: float
    clock: float


def cost(receive: Callable[[], int], server_ns: Callable[[], int], times: int = RECEIVES) -> Cost:
    clock, client, of_server = time.perf_counter(), time.process_time(), server_ns()
    received = sum(receive() for _ in range(times))
    assert received == times, "there are messages enough"
    spent = time.process_time() - client, (server_ns() - of_server) / 1e9, time.perf_counter() - clock
    return Cost(*(1e6 * seconds / times for seconds in spent))


def measure() -> bool:
    """On the database of the environment, which is empty; whether the claims are kept."""
    call_command("migrate", interactive=False, verbosity=0)
    bench, one = Bench(), ReceiveRequest(QUEUE, 1)
    known = bench.store.claim(ClaimRequest(), NOW)
    bench.store.release(known.token)

    def at_once() -> int:
        batch = bench.store.take(one, known, NOW)
        return len(batch.received) if batch else bench.received(1)

    ways = {"a claim and its commit": lambda: bench.received(1), "on one way": at_once}
    alone = medians(ways, bench.enqueued)
    claimed, taken = (one.client + one.server for one in alone.values())
    lease(bench)
    behind = medians(ways, bench.enqueued, f", behind {LEASED:,} leased")
    slowest_ms = max(one.clock for one in behind.values()) / 1e3
    return all(
        [
            claim("on one way, to a claim and its commit", taken / claimed, 0.85, "times"),
            claim(f"RECEIVE behind {LEASED:,} messages of a leased group", slowest_ms, MOST_MS, "ms"),
        ]
    )


def medians(ways: dict[str, Callable[[], int]], enqueue: Callable[[int], int], where: str = "") -> dict[str, Cost]:
    """Return the cost of a RECEIVE of each kind, of rounds in turns."""
    found: dict[str, list[Cost]] = {name: [] for name in ways}
    for number in range(ROUNDS):
        for name in list(ways)[:: -1 if number % 2 else 1]:
            enqueue(RECEIVES)
            found[name].append(cost(ways[name], server_ns))
    return {name: median(name, where, each) for name, each in found.items()}


def median(name: str, where: str, costs: Sequence[Cost]) -> Cost:
    """Return the median of each part, and print it."""
    found = Cost(*map(statistics.median, zip(*costs, strict=True)))
    client, of_server, clock = found
    print(f"       {name}{where}: client {client:.0f} us, server {of_server:.0f} us, by the clock {clock:.0f} us")
    return found


def server_ns() -> int:
    """Nanoseconds of processor of the server's processes that work for clients."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pid FROM pg_stat_activity WHERE backend_type = 'client backend'")
        pids = [pid for (pid,) in cursor.fetchall()]
    return sum(int(Path(f"/proc/{pid}/schedstat").read_text().split()[0]) for pid in pids)


def lease(bench: Bench) -> None:
    """Put messages of one conversation at the head of the queue, and lease its group to somebody."""
    others, bench.handles[1:] = bench.handles[1:], []
    for _ in range(LEASED // AT_ONCE):
        bench.enqueued(AT_ONCE)
    Lease.objects.create(
        receipt=str(uuid4()),
        instance_id=bench.store.instance,
        database=QUEUE[0],
        queue=QUEUE[1],
        conversation_group_id=bench.handles[0],
        owner="somebody",
        messages=[],
        count=LEASED,
        until=NOW * 2,
    )
    bench.handles[:] = others
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE queue_messages")

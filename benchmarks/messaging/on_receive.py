"""The cost of one RECEIVE of one message on PostgreSQL: on one way to the database, and by a claim and its commit.

    .venv/bin/python benchmarks/messaging/on_receive.py

Durable; messages of 1 KB in 20 conversations. Microseconds of processor of client and server and of the clock, in
turns, the median of nine rounds. The claim: on one way both together take at most 0.85 of the processor time.
"""

from __future__ import annotations

import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parent.parent.parent))

import django

from benchmarks.claims import claim, machine
from scripts.postgres import CannotRunError, server

RECEIVES = 200
ROUNDS = 9


class Cost(NamedTuple):
    """Of one RECEIVE, in microseconds."""

    client: float
    server: float
    clock: float


def cost(receive: Callable[[], int], server_ns: Callable[[], int]) -> Cost:
    clock, client, of_server = time.perf_counter(), time.process_time(), server_ns()
    received = sum(receive() for _ in range(RECEIVES))
    assert received == RECEIVES, "there are messages enough"
    spent = time.process_time() - client, (server_ns() - of_server) / 1e9, time.perf_counter() - clock
    return Cost(*(1e6 * seconds / RECEIVES for seconds in spent))


def measure() -> bool:
    """On the database of the environment, which is empty; whether the claim is kept."""
    from django.core.management import call_command  # noqa: PLC0415 - after Django is set up
    from django.db import connection  # noqa: PLC0415

    from benchmarks.messaging.on_store import NOW, QUEUE, Bench  # noqa: PLC0415
    from routing.dialog.batch import ClaimRequest, ReceiveRequest  # noqa: PLC0415

    call_command("migrate", interactive=False, verbosity=0)
    bench, one = Bench(), ReceiveRequest(QUEUE, 1)
    known = bench.store.claim(ClaimRequest(), NOW)
    bench.store.release(known.token)

    def at_once() -> int:
        batch = bench.store.take(one, known, NOW)
        return len(batch.received) if batch else 0

    def server_ns() -> int:
        with connection.cursor() as cursor:
            cursor.execute("SELECT pid FROM pg_stat_activity WHERE backend_type = 'client backend'")
            pids = [pid for (pid,) in cursor.fetchall()]
        return sum(int(Path(f"/proc/{pid}/schedstat").read_text().split()[0]) for pid in pids)

    ways = {"a claim and its commit": lambda: bench.received(1), "on one way": at_once}
    found: dict[str, list[Cost]] = {name: [] for name in ways}
    for number in range(ROUNDS):
        for name in list(ways)[:: -1 if number % 2 else 1]:
            bench.enqueued(RECEIVES)
            found[name].append(cost(ways[name], server_ns))
    medians = {name: Cost(*map(statistics.median, zip(*costs, strict=True))) for name, costs in found.items()}
    for name, (client, of_server, clock) in medians.items():
        print(f"       {name}: client {client:.0f} us, server {of_server:.0f} us, by the clock {clock:.0f} us")
    claimed, taken = (one.client + one.server for one in medians.values())
    return claim("on one way, to a claim and its commit", taken / claimed, 0.85, "times")


def main() -> int:
    print(machine())
    with tempfile.TemporaryDirectory() as home:
        try:
            with server(durable=True) as url:
                settings = {"BROKERUI_HOME": home, "DJANGO_SETTINGS_MODULE": "brokerui.settings", "DATABASE_URL": url}
                os.environ |= settings
                django.setup()
                return int(not measure())
        except CannotRunError as error:
            print(f"skipped, no PostgreSQL can run here: {error}")
            return 0


if __name__ == "__main__":
    sys.exit(main())

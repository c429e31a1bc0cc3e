"""The cost of five small statements on one way to PostgreSQL, sent together and as the driver sends them by itself.

    .venv/bin/python benchmarks/messaging/on_pipeline.py

Microseconds of processor of client and server, and how often the server wakes, in turns. The claim: the server takes at
most 0.95 of the time.
"""

from __future__ import annotations

import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parent.parent.parent))

import django
import psycopg

from benchmarks.claims import claim, machine
from benchmarks.messaging.peers.running import conninfo
from scripts.postgres import CannotRunError, running

BATCHES = 1_000
ROUNDS = 5
Pipeline = Callable[[psycopg.Connection[Any]], AbstractContextManager[object]]


class Cost(NamedTuple):
    """Of one batch."""

    client_us: float
    server_us: float
    wake_ups: float


def batch(connection: psycopg.Connection[Any], pipeline: Pipeline) -> None:
    cursor = psycopg.Cursor(connection)
    with pipeline(connection):
        cursor.execute("BEGIN")
        for number in range(3):
            cursor.execute("SELECT %(number)s::int8", {"number": number})
        cursor.execute("COMMIT")


def cost(connection: psycopg.Connection[Any], pipeline: Pipeline) -> Cost:
    pid = connection.info.backend_pid
    client, server, switches = time.process_time(), _server_ns(pid), _switches(pid)
    for _ in range(BATCHES):
        batch(connection, pipeline)
    spent = time.process_time() - client, _server_ns(pid) - server, _switches(pid) - switches
    return Cost(1e6 * spent[0] / BATCHES, spent[1] / 1e3 / BATCHES, spent[2] / BATCHES)


def _server_ns(pid: int) -> int:
    return int(Path(f"/proc/{pid}/schedstat").read_text().split()[0])


def _switches(pid: int) -> int:
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("voluntary_ctxt_switches"))


def run(ways: dict[str, Pipeline]) -> bool:
    found: dict[str, list[Cost]] = {name: [] for name in ways}
    with running(durable=True) as server:
        server.create("statements")
        url = conninfo(server, "statements")
        with psycopg.connect(url, autocommit=True, prepare_threshold=1) as connection:
            for _ in range(ROUNDS):
                for name, pipeline in ways.items():
                    found[name].append(cost(connection, pipeline))
    medians = {name: Cost(*map(statistics.median, zip(*costs, strict=True))) for name, costs in found.items()}
    for name, one in medians.items():
        print(
            f"       {name}: client {one.client_us:.0f} us, server {one.server_us:.0f} us, {one.wake_ups:.1f} wake-ups"
        )
    alone, together = medians.values()
    return claim("server, together to one by one", together.server_us / alone.server_us, 0.95, "times")


def main() -> int:
    print(machine())
    with tempfile.TemporaryDirectory() as home:
        os.environ |= {"BROKERUI_HOME": home, "DJANGO_SETTINGS_MODULE": "brokerui.settings"}
        django.setup()
        from brokerui.messaging.store.postgres_pipeline import sent_together  # noqa: PLC0415 - after Django is set up

        try:
            return int(not run({"one by one": psycopg.Connection.pipeline, "together": sent_together}))
        except CannotRunError as error:
            print(f"skipped, no PostgreSQL can run here: {error}")
            return 0


if __name__ == "__main__":
    sys.exit(main())

"""The cost of five small statements on one way to PostgreSQL, as the store sends them and as cursors of the driver do.

    .venv/bin/python benchmarks/messaging/on_pipeline.py

Microseconds of processor of client and server, and how often the server wakes, in turns. The claims: the server takes
at most 0.95 of the time, and the client at most 0.6.
"""

from __future__ import annotations

import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any, NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parent.parent.parent))

import django
import psycopg

from benchmarks.claims import claim, machine
from benchmarks.messaging.peers.running import conninfo
from scripts.postgres import CannotRunError, running

CURSORS = "driver's cursors"
BATCHES = 1_000
ROUNDS = 5
Batch = Callable[[psycopg.Connection[Any]], None]
STATEMENTS = ("BEGIN", *["SELECT %(number)s::int8"] * 3, "COMMIT")
PARAMETERS = {"number": 7}


class Cost(NamedTuple):
    """Of one batch."""

    client_us: float
    server_us: float
    wake_ups: float


def by_cursor(connection: psycopg.Connection[Any]) -> None:
    cursor = psycopg.Cursor(connection)
    with connection.pipeline():
        for sql in STATEMENTS:
            cursor.execute(sql, PARAMETERS if "number" in sql else {}, binary=True)


def by_store(connection: psycopg.Connection[Any]) -> None:
    from brokerui.messaging.store.postgres_statements import SessionStatements  # noqa: PLC0415 - after Django is set up

    statements = SessionStatements(connection)
    with statements.together():
        for sql in STATEMENTS:
            statements.ask(sql, PARAMETERS)


def cost(connection: psycopg.Connection[Any], batch: Batch) -> Cost:
    pid = connection.info.backend_pid
    client, server, switches = time.process_time(), _server_ns(pid), _switches(pid)
    for _ in range(BATCHES):
        batch(connection)
    spent = time.process_time() - client, _server_ns(pid) - server, _switches(pid) - switches
    return Cost(1e6 * spent[0] / BATCHES, spent[1] / 1e3 / BATCHES, spent[2] / BATCHES)


def _server_ns(pid: int) -> int:
    return int(Path(f"/proc/{pid}/schedstat").read_text().split()[0])


def _switches(pid: int) -> int:
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("voluntary_ctxt_switches"))


def run(ways: dict[str, Batch]) -> bool:
    found: dict[str, list[Cost]] = {name: [] for name in ways}
    with running(durable=True) as server:
        server.create("statements")
        url = conninfo(server, "statements")
        with ExitStack() as stack:
            connections = {name: stack.enter_context(connected(url, name)) for name in ways}
            for _ in range(ROUNDS):
                for name, batch in ways.items():
                    found[name].append(cost(connections[name], batch))
    medians = {name: Cost(*map(statistics.median, zip(*costs, strict=True))) for name, costs in found.items()}
    for name, one in medians.items():
        print(
            f"       {name}: client {one.client_us:.0f} us, server {one.server_us:.0f} us, {one.wake_ups:.1f} wake-ups"
        )
    driver, store = medians.values()
    return all(
        [
            claim("server, for the store to the driver's cursors", store.server_us / driver.server_us, 0.95, "times"),
            claim("client, the store to the driver's cursors", store.client_us / driver.client_us, 0.6, "times"),
        ]
    )


def connected(url: str, way: str) -> psycopg.Connection[Any]:
    """Return a connection on which the driver prepares what its cursors run."""
    return psycopg.connect(url, autocommit=True, prepare_threshold=1 if way == CURSORS else None)


def main() -> int:
    print(machine())
    with tempfile.TemporaryDirectory() as home:
        os.environ |= {"BROKERUI_HOME": home, "DJANGO_SETTINGS_MODULE": "brokerui.settings"}
        django.setup()
        try:
            return int(not run({CURSORS: by_cursor, "store": by_store}))
        except CannotRunError as error:
            print(f"skipped, no PostgreSQL can run here: {error}")
            return 0


if __name__ == "__main__":
    sys.exit(main())

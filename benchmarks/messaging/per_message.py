"""Where the processor time of one message goes, from the application that sends it to the one that receives it.

    .venv/bin/python benchmarks/messaging/per_message.py [--seconds 15] [--only alone] [--compiled build/compiled]

Two deployments with all their processes over TCP, on one PostgreSQL server, durable; 1 KB a message, one message in a
transaction, 50 conversations. Four situations: a message now and then (`alone`: two a second), 100 a second (`steady`),
five senders as fast as they can (`senders`), and one sender as fast as it can with 100 messages in a transaction
(`batches`). Of each: microseconds of processor per message by process, by layer of the code in Python's processes
(sampled, by the innermost function that is not of Python's library), by statement of the server (pg_stat_statements),
and the commands of Redis. What the deployments take without any message is measured first, and is left out.

It claims nothing by itself; `end_to_end.py` and `latency.py` claim.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent.parent))

import psycopg
from redis import Redis

from benchmarks.claims import machine
from benchmarks.messaging import processor_time
from benchmarks.messaging.compiled_engine import add_option, settings_of
from benchmarks.messaging.end_to_end import CONVERSATIONS, SENDERS, Ours
from benchmarks.messaging.peers.running import conninfo
from scripts.postgres import CannotRunError, Server, running
from tests.acceptance.deployments import Application, Deployment, join, two

STATISTICS = ("-c", "shared_preload_libraries=pg_stat_statements", "-c", "pg_stat_statements.track_utility=on")
DATABASES = ("of_a", "of_b")
SAMPLED = Path(__file__).parent / "sampled"
ENDLESS = 1_000_000
"""Messages that an application is told to send or receive: it is ended before."""
WARM_SECONDS = 4
"""Not measured: with their first messages the applications load modules and connect."""
STATEMENTS_SHOWN = 15
FUNCTIONS_SHOWN = 25
_ARRIVED = "SELECT coalesce(sum(receive_sequence), 0) FROM conversation_endpoints"
_STATEMENTS = (
    "SELECT d.datname || ' ' || left(regexp_replace(query, '\\s+', ' ', 'g'), 99), sum(s.calls), sum(s.total_exec_time)"
    " FROM pg_stat_statements s JOIN pg_database d ON d.oid = s.dbid WHERE d.datname = ANY(%s) GROUP BY 1"
)


@dataclass(frozen=True)
class Reading:
    """All counters at one moment."""

    at: float
    arrived: int
    processes: Counter[str]
    """Seconds of processor."""
    code: Counter[str]
    """Samples."""
    commands: Counter[str]
    """Of Redis, their calls."""


@dataclass(frozen=True)
class Spent:
    """Processor time, calls and samples of a number of messages."""

    messages: int
    seconds: float
    processes: Counter[str]
    code: Counter[str]
    commands: Counter[str]
    statements: Mapping[str, tuple[int, float]] = field(default_factory=dict)
    """Calls, and milliseconds in the server."""


class Meter:
    """Reads what two deployments have spent."""

    def __init__(self, server: Server, deployments: Sequence[Deployment], folder: Path) -> None:
        self._server, self._deployments, self._folder = server, deployments, folder
        assert server.process is not None
        self._run("CREATE EXTENSION pg_stat_statements")
        self._parts = processor_time.parts_of(deployments, server.process.pid)

    def spent(self, seconds: float, **applications: Sequence[Application]) -> Spent:
        """Measure the two deployments for some seconds from now."""
        parts = processor_time.with_applications(self._parts, **applications)
        self._run("SELECT pg_stat_statements_reset()")
        before = self._reading(parts)
        time.sleep(seconds)  # the measured time itself
        after = self._reading(parts)
        statements = {
            str(text): (int(calls), float(ms)) for text, calls, ms in self._run(_STATEMENTS, [list(DATABASES)])
        }
        return Spent(
            after.arrived - before.arrived,
            after.at - before.at,
            after.processes - before.processes,
            after.code - before.code,
            after.commands - before.commands,
            statements,
        )

    def _reading(self, parts: Mapping[int, str]) -> Reading:
        arrived = sum(int(row[0]) for row in self._run(_ARRIVED, database=DATABASES[1]))
        code = processor_time.samples(self._folder)
        return Reading(time.monotonic(), arrived, processor_time.seconds(parts), code, self._commands())

    def _run(self, sql: str, parameters: Sequence[object] = (), database: str = "postgres") -> list[tuple[Any, ...]]:
        with psycopg.connect(conninfo(self._server, database), autocommit=True) as connection:
            cursor = connection.execute(sql, parameters)
            return cursor.fetchall() if cursor.description else []

    def _commands(self) -> Counter[str]:
        found = Counter[str]()
        for one in self._deployments:
            with Redis(unix_socket_path=str(one.home / "valkey" / "valkey.sock")) as client:
                for name, values in client.info("commandstats").items():
                    found[name.removeprefix("cmdstat_")] += values["calls"]
        return found


@contextmanager
def senders(
    count: int, at_once: int, first: Deployment, second: Deployment, handles: list[str]
) -> Iterator[dict[str, list[Application]]]:
    shares = [handles[number::count] for number in range(count)]
    sending = [first.application("send", ENDLESS, at_once, *share) for share in shares]
    yield from _working(sending, second.application("receive", ENDLESS))


@contextmanager
def evenly(
    rate: float, first: Deployment, second: Deployment, handles: list[str]
) -> Iterator[dict[str, list[Application]]]:
    sending = first.application("send_evenly", rate, ENDLESS, 1, *handles)
    yield from _working([sending], second.application("arrivals", ENDLESS))


def _working(sending: list[Application], receiving: Application) -> Iterator[dict[str, list[Application]]]:
    """The applications at work, by the names of their parts."""
    every = [receiving, *sending]
    for each in every:
        each.says()
    for each in every:
        each.go()
    try:
        yield {"sending application": sending, "receiving application": [receiving]}
    finally:
        for each in every:
            each.end()


def without_idle(spent: Spent, idle: Spent) -> dict[str, float]:
    """Microseconds of processor a message by process, without what as many seconds take without any message."""
    share = spent.seconds / idle.seconds
    each = {name: took - idle.processes[name] * share for name, took in spent.processes.items()}
    return {name: 1e6 * took / max(spent.messages, 1) for name, took in each.items()}


def show(name: str, spent: Spent, idle: Spent) -> None:
    """Tables of one situation."""
    processes = without_idle(spent, idle)
    print(f"\n## {name}: {spent.messages:,} messages in {spent.seconds:.1f} s, {spent.messages / spent.seconds:,.1f}/s")
    _table("us of processor a message", {**processes, "together": sum(processes.values())}, 1)
    _table("share of the samples in Python", processor_time.by_layer(spent.code), 3)
    _table("samples by function", spent.code, 0, FUNCTIONS_SHOWN)
    _statements(spent)
    _table("commands of Redis a message", {n: c / max(spent.messages, 1) for n, c in spent.commands.items()}, 4, 12)


def _table(heading: str, values: Mapping[str, float], digits: int, most: int = 30) -> None:
    print(f"\n{heading}")
    for name, value in sorted(values.items(), key=lambda pair: -pair[1])[:most]:
        print(f"  {value:10.{digits}f}  {name}")


def _statements(spent: Spent) -> None:
    count = max(spent.messages, 1)
    calls, took = (sum(values[place] for values in spent.statements.values()) for place in (0, 1))
    print(f"\nstatements: {calls / count:.3f} a message, {1000 * took / count:.1f} us in the server, most time first")
    for text, (each, ms) in sorted(spent.statements.items(), key=lambda pair: -pair[1][1])[:STATEMENTS_SHOWN]:
        print(f"  {each / count:7.4f} x {1000 * ms / each:7.1f} us = {1000 * ms / count:6.1f}  {text}")


SITUATIONS: dict[str, Callable[..., AbstractContextManager[dict[str, list[Application]]]]] = {
    "alone": lambda *words: evenly(2, *words),
    "steady": lambda *words: evenly(100, *words),
    "senders": lambda *words: senders(SENDERS, 1, *words),
    "batches": lambda *words: senders(1, 100, *words),
}


def run(seconds: float, names: Sequence[str], compiled: Path | None) -> None:
    print(machine(), "compiled engine" if compiled else "")
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="b-", dir="/tmp")))
        os.environ["BROKERUI_SAMPLES"] = str(folder / "samples")
        (folder / "samples").mkdir()
        server = stack.enter_context(running(durable=True, options=STATISTICS))
        both = stack.enter_context(two(folder, server, **settings_of(compiled, [SAMPLED])))
        join(*both)
        handles = Ours(*both, encryptions=("off",)).handles["off"]
        assert len(handles) == CONVERSATIONS
        meter = Meter(server, both, folder / "samples")
        idle = meter.spent(seconds)
        for name in names:
            with SITUATIONS[name](*both, handles) as applications:
                time.sleep(WARM_SECONDS)  # the applications load modules and connect meanwhile
                show(name, meter.spent(seconds, **applications), idle)


def main() -> int:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--seconds", type=float, default=15.0)
    arguments.add_argument("--only", choices=SITUATIONS, action="append", help="a situation; default: all")
    add_option(arguments)
    given = arguments.parse_args()
    try:
        run(given.seconds, given.only or list(SITUATIONS), given.compiled)
    except CannotRunError as error:
        print(f"skipped, no PostgreSQL can be had here: {error}")
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""Two deployments under load, whose processes are killed at random: nothing is lost, doubled, mixed up or half there.

    make chaos [CHAOS='--kills 60 --pause 35 --seed 1']

Both send and answer in 500 conversations. Every kind of process of both (worker, endpoint, web, Valkey, beat) and
PostgreSQL are killed with SIGKILL; then the wire between the endpoints fails, the disk of the receiver is full, and
both fail over twice. In the end the records of the applications are compared, by code that knows nothing of the
product."""

from __future__ import annotations

import argparse
import bisect
import os
import random
import signal
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from scripts.postgres import Server, running
from tests.acceptance import records
from tests.acceptance.deployments import Deployment, two
from tests.acceptance.proxy import Proxy
from tests.brokerui.product import eventually, free_port

PROGRAMS = ("worker", "endpoint", "web", "valkey", "beat")
POSTGRES = "postgres"
RETRY_PERIOD = 64.0
"""Seconds: the longest pause between two attempts to send."""
WINDOW = 5.0
"""Seconds over which a throughput is taken."""
LEVEL = 30.0
"""Seconds before a kill that tell the level."""
DISK_FULL = """
CREATE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql AS
  $$ BEGIN RAISE EXCEPTION 'could not extend file: No space left on device' USING ERRCODE = 'disk_full'; END $$;
CREATE TRIGGER full_disk BEFORE INSERT ON {table} FOR EACH ROW EXECUTE FUNCTION full_disk();
"""
DISK_FREE = "DROP TRIGGER full_disk ON {table}; DROP FUNCTION full_disk();"


@dataclass(frozen=True)
class Kill:
    """A killed process, and the moment."""

    what: str
    at: float


@dataclass
class Scene:
    """Everything that runs."""

    server: Server
    first: Deployment
    second: Deployment
    proxies: Sequence[Proxy]
    kills: list[Kill] = field(default_factory=list)

    @property
    def urls(self) -> tuple[str, str]:
        return tuple(one.settings["DATABASE_URL"] for one in (self.first, self.second))  # type: ignore[return-value] - both are there

    @property
    def waiting(self) -> int:
        """Messages in both directions that have not been received."""
        return records.waiting(*self.urls) + records.waiting(*reversed(self.urls))

    def kill(self, what: str) -> None:
        self.kills.append(Kill(what, time.time()))
        if what == POSTGRES:
            self.server.stop(signal.SIGKILL)
            self.server.start()
            return
        place, _, program = what.partition(".")
        product = {"A": self.first, "B": self.second}[place].product
        os.kill(eventually(lambda: _pid(product.pids(), program)), signal.SIGKILL)

    def break_wire(self, rate: float) -> None:
        """0: it heals."""
        for proxy in self.proxies:
            proxy.rate = rate

    def fail_over(self) -> None:
        """The partners of both pairs change roles."""
        for one in (self.first, self.second):
            one.command("failover", one.place)

    @contextmanager
    def full_disk(self) -> Iterator[None]:
        """Let every write into the receiver's tables of arrived messages fail."""
        with records.connected(self.urls[1]) as connection:
            connection.execute(DISK_FULL.format(table="queue_messages"))
            try:
                yield
            finally:
                connection.execute(DISK_FREE.format(table="queue_messages"))


def _pid(pids: dict[str, int], name: str) -> int | None:
    pid = pids.get(name)
    return pid if pid and Path(f"/proc/{pid}").exists() else None


@contextmanager
def scene(folder: Path, seed: int) -> Iterator[Scene]:
    """Both deployments, each with a mirrored pair, joined by wires that can be broken."""
    with ExitStack() as stack:
        server = stack.enter_context(running(durable=True))
        first, second = stack.enter_context(two(folder, server))
        ports = {name: (free_port(), free_port()) for name in ("A", "AM", "B", "BM")}
        proxies = [Proxy(reached_at, listens_at, seed) for listens_at, reached_at in ports.values()]
        for proxy in proxies:
            stack.callback(proxy.close)
        first.host_pair(second, ports)
        second.host_pair(first, ports)
        found = Scene(server, first, second, proxies)
        for url in found.urls:
            records.make_tables(url)
        yield found


@contextmanager
def load(found: Scene, conversations: int, rate: float, seed: int) -> Iterator[Callable[[], None]]:
    """Applications at work; what it gives ends the sending."""
    begin = found.first.application("begin", conversations, "off")
    begin.says()
    begin.go()
    handles = begin.says()
    begin.end()
    sender = found.first.application("load", rate, seed, *handles)
    others = [
        found.first.application("consume", "dbo.FromQ"),
        found.second.application("consume", "dbo.ToQ"),
    ]
    everybody = [sender, *others]
    try:
        for each in everybody:
            each.says()
        for each in everybody:
            each.go()
        yield sender.stop
        for each in others:
            each.stop()
    finally:
        for each in everybody:
            each.end()


def order(kills: int, chosen: random.Random) -> list[str]:
    """Every kind as often as any other, by chance."""
    kinds = [*(f"{place}.{program}" for place in "AB" for program in PROGRAMS), POSTGRES]
    found: list[str] = []
    while len(found) < kills:
        found += chosen.sample(kinds, len(kinds))
    return found[:kills]


# ---------------------------------------------------------------- throughput
def recovery(moments: Sequence[float], kill: Kill) -> float | None:
    """Seconds from a kill to the first window in which as much is received as nine tenths of before; None: never in
    half a minute. The window may begin with the kill, for which the time is 0."""
    level = _level(moments, kill.at)
    for tenth in range(300):
        begin = kill.at + tenth / 10
        if _rate(moments, begin, begin + WINDOW) >= 0.9 * level:
            return tenth / 10
    return None


def _level(moments: Sequence[float], until: float) -> float:
    """Return the usual rate before a moment: the median of the windows before it. A mean would be higher than any rate
    of sending, since the windows may hold the previous kill and the backlog after it."""
    begins = (until - LEVEL + step for step in range(int(LEVEL - WINDOW) + 1))
    return statistics.median(_rate(moments, begin, begin + WINDOW) for begin in begins)


def _rate(moments: Sequence[float], begin: float, end: float) -> float:
    return (bisect.bisect(moments, end) - bisect.bisect(moments, begin)) / (end - begin)


# ---------------------------------------------------------------- the long form
def run(given: argparse.Namespace) -> bool:
    """Prints what happens; whether everything is as it must be."""
    chosen = random.Random(given.seed)
    with tempfile.TemporaryDirectory(prefix="c-", dir="/tmp") as folder, scene(Path(folder), given.seed) as found:
        with load(found, given.conversations, given.rate, given.seed) as stop:
            time.sleep(LEVEL)
            for what in order(given.kills, chosen):
                _say(f"kill {what}, {found.waiting} on their way")
                found.kill(what)
                time.sleep(given.pause)
            _break_all(found, given.pause)
            stop()
            left = _until_empty(found, 2 * RETRY_PERIOD)
        return _report(found, left)


def _break_all(found: Scene, seconds: float) -> None:
    found.break_wire(0.25)
    time.sleep(seconds)
    found.break_wire(0)
    _say(f"the wire has failed: {[dict(proxy.done) for proxy in found.proxies]}")
    with found.full_disk():
        time.sleep(seconds)
    _say(f"the disk of the receiver was full, {found.waiting} on their way")
    for _ in range(2):
        time.sleep(seconds)
        found.fail_over()
        _say(f"both have failed over, {found.waiting} on their way")
    time.sleep(seconds)


def _until_empty(found: Scene, seconds: float) -> int:
    """Wait at most this time for messages on their way; return how many are left."""
    until = time.monotonic() + seconds
    while (left := found.waiting) and time.monotonic() < until:
        time.sleep(0.5)
    _say(f"{left} left after {seconds - until + time.monotonic():.0f} s")
    return left


def _report(found: Scene, left: int) -> bool:
    verdicts = [records.compare(*found.urls), records.compare(*reversed(found.urls))]
    for verdict in verdicts:
        _say(str(verdict))
    moments = records.received_at(found.urls[1])
    took = {kill: recovery(moments, kill) for kill in found.kills}
    for kill, seconds in took.items():
        _say(f"{kill.what}: {'not' if seconds is None else f'{seconds:.1f} s'}")
    _say(f"back to 0.9 within 30 s: {sum(one is not None for one in took.values())} of {len(took)} kills")
    return left == 0 and all(verdict.is_clean for verdict in verdicts) and None not in took.values()


def _say(text: str) -> None:
    sys.stdout.write(f"{time.strftime('%H:%M:%S')} load {os.getloadavg()[0]:.1f}  {text}\n")
    sys.stdout.flush()


def main() -> int:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--kills", type=int, default=60)
    arguments.add_argument("--pause", type=float, default=35.0)
    arguments.add_argument("--conversations", type=int, default=500)
    arguments.add_argument("--rate", type=float, default=100.0)
    arguments.add_argument("--seed", type=int, default=1)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # so that nothing is left running
    return int(not run(arguments.parse_args()))


if __name__ == "__main__":
    sys.exit(main())

"""Two deployments over TCP, durable on both: messages of 1 KB a second, beside other products under the same load.

    .venv/bin/python benchmarks/messaging/end_to_end.py [--messages 30000] [--rounds 3] [--no-peers] [--compiled FOLDER]

Each deployment has all its processes (worker, beat, endpoint, web, a Valkey) and a database of one PostgreSQL server
with fsync and synchronous commit. A process sends 100 messages in a transaction, each transaction in the next of 50
conversations; another receives, a conversation in a transaction, and checks the order. It ends when the last is
received and committed. Beside it: five senders with one message in a transaction each, once in a transaction that the
application opens, and once in that of SEND itself, as the peers are called; and encrypted dialogs.

The peers run in turns with ours, in the same minutes: two RabbitMQ nodes joined by a shovel with on-confirm, from pika
with asynchronous confirms and with one after the other; jobs of procrastinate; Celery tasks on a Valkey that keeps what
it has, each of which writes its message to PostgreSQL. Those that cannot be had are skipped, and said so.

With `--compiled` both deployments run the compiled engine; the peers run as they are.

The claims: 100 in a transaction at least as many as the RabbitMQ pair asynchronously, and five times procrastinate and
Celery; encrypted at least 0.85 of plain; one in a transaction at least as many as pika one by one, and 1.5 times
procrastinate and Celery, in the application's transaction and in SEND's own.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent.parent))

from benchmarks.claims import claim, machine
from benchmarks.messaging.compiled_engine import add_option, settings_of
from benchmarks.messaging.peers.running import CannotBeHad, Peers, conninfo, rabbit_pair
from brokerui.core.valkey import valkey_binary
from scripts.postgres import CannotRunError, Server, running
from tests.acceptance.deployments import Deployment, exchange_keys, join, two
from tests.brokerui.product import eventually

CONVERSATIONS = 50
SENDERS = 5
FEW = 10
"""Divisor of the number of messages that are sent one by one."""
OURS = "ours, 100 in a transaction"
ENCRYPTED = "ours, encrypted"
ONE = f"ours, one in a transaction, {SENDERS} senders"
ALONE = f"ours, one in a transaction of SEND's own, {SENDERS} senders"
ASYNCHRONOUS = "RabbitMQ pair, pika asynchronous"
ONE_BY_ONE = "RabbitMQ pair, pika one by one"
PROCRASTINATE, CELERY = "procrastinate", "Celery"
LEAST = (
    (OURS, ASYNCHRONOUS, 1.0),
    (OURS, PROCRASTINATE, 5.0),
    (OURS, CELERY, 5.0),
    (ENCRYPTED, OURS, 0.85),
    (ONE, ONE_BY_ONE, 1.0),
    (ONE, PROCRASTINATE, 1.5),
    (ONE, CELERY, 1.5),
    (ALONE, ONE_BY_ONE, 1.0),
    (ALONE, PROCRASTINATE, 1.5),
    (ALONE, CELERY, 1.5),
)
"""Rates, each with a peer, and how many times that of the peer it is at least."""
Rates = dict[str, Callable[[], float]]


class Ours:
    """The two deployments, with conversations between them."""

    def __init__(self, first: Deployment, second: Deployment, encryptions: tuple[str, ...] = ("off", "on")) -> None:
        self.first, self.second = first, second
        self.handles = {encryption: self._begin(encryption) for encryption in encryptions}

    def _begin(self, encryption: str) -> list[str]:
        application = self.first.application("begin", CONVERSATIONS, encryption)
        application.says()
        application.go()
        handles: list[str] = application.says()
        application.end()
        return handles

    def rate(self, count: int, at_once: int, senders: int = 1, encryption: str = "off") -> float:
        """From the first that is sent to the last that is received."""
        shares = [self.handles[encryption][number::senders] for number in range(senders)]
        return self._rate(count, [("send", count // senders, at_once, *handles) for handles in shares])

    def rate_alone(self, count: int) -> float:
        """The same for messages that the application sends without a transaction around them, as it calls the peers."""
        shares = [self.handles["off"][number::SENDERS] for number in range(SENDERS)]
        return self._rate(count, [("send_alone", count // SENDERS, *handles) for handles in shares])

    def _rate(self, count: int, senders: Sequence[tuple[Any, ...]]) -> float:
        sending = [self.first.application(*words) for words in senders]
        applications = [self.second.application("receive", count), *sending]
        for each in applications:
            each.says()
        began = time.time()
        for each in applications:
            each.go()
        ended = applications[0].says()["ended"]
        for each in applications:
            each.end()
        return float(count / (ended - began))


@contextmanager
def kept_valkey(folder: Path) -> Iterator[str]:
    """One that writes down what it has; as Celery names it."""
    path = folder / "kept.sock"
    options = ("--port", "0", "--unixsocket", str(path), "--appendonly", "yes", "--dir", str(folder))
    process = subprocess.Popen([valkey_binary(), *options], stdout=subprocess.DEVNULL)
    eventually(path.exists)
    try:
        yield f"redis+socket://{path}"
    finally:
        process.terminate()
        process.wait()


def peers(stack: ExitStack, folder: Path, server: Server, count: int) -> Rates:
    """Those that can be had."""
    found: Rates = {}
    try:
        programs = Peers(folder / "python")
    except CannotBeHad as reason:
        print(f"skipped, all peers: {reason}")
        return found
    try:
        ports = stack.enter_context(rabbit_pair(folder))
        found[ASYNCHRONOUS] = lambda: programs.rate("with_pika", "asynchronous", count, *ports)
        found[ONE_BY_ONE] = lambda: programs.rate("with_pika", "blocking", count // FEW, *ports)
    except CannotBeHad as reason:
        print(f"skipped, RabbitMQ: {reason}")
    for database in ("procrastinate", "celery"):
        server.create(database)
    words = count // FEW, conninfo(server, "procrastinate")
    found[PROCRASTINATE] = lambda: programs.rate("with_procrastinate", *words)
    environ = {"BROKER": stack.enter_context(kept_valkey(folder)), "DATABASE": conninfo(server, "celery")}
    stack.enter_context(programs.worker(**environ))
    found[CELERY] = lambda: programs.rate("with_celery", count // FEW, **environ)
    return found


def measure(works: Rates, rounds: int) -> dict[str, float]:
    """The median of each; in turns, every other time the other way round, and what cannot be had is left out."""
    rates: dict[str, list[float]] = {name: [] for name in works}
    for number in range(rounds):
        for name in list(rates)[:: -1 if number % 2 else 1]:
            try:
                rates[name].append(works[name]())
            except CannotBeHad as reason:
                print(f"skipped, {name}: {reason}")
                del rates[name]
                continue
            print(f"       {name}: {rates[name][-1]:,.0f}/s, load {os.getloadavg()[0]:.1f}", flush=True)
    return {name: statistics.median(found) for name, found in rates.items()}


def run(count: int, rounds: int, with_peers: bool, compiled: Path | None) -> bool:
    print(machine(), "compiled engine" if compiled else "")
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="b-", dir="/tmp")))
        server = stack.enter_context(running(durable=True))
        both = stack.enter_context(two(folder, server, **settings_of(compiled)))
        join(*both)
        exchange_keys(*both)
        ours = Ours(*both)
        ours.rate(count // FEW, 100)  # prepared once
        works: Rates = {
            OURS: lambda: ours.rate(count, 100),
            ENCRYPTED: lambda: ours.rate(count, 100, encryption="on"),
            ONE: lambda: ours.rate(count // FEW, 1, SENDERS),
            ALONE: lambda: ours.rate_alone(count // FEW),
            **(peers(stack, folder, server, count) if with_peers else {}),
        }
        found = measure(works, rounds)
    for name, median in found.items():
        print(f"       {name}: {median:,.0f}/s")
    kept = [
        claim(f"{name}, to {peer}", found[name] / found[peer], least, "times", at_least=True)
        for name, peer, least in LEAST
        if peer in found
    ]
    return all(kept)


def main() -> int:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--messages", type=int, default=30_000)
    arguments.add_argument("--rounds", type=int, default=3)
    arguments.add_argument("--no-peers", action="store_true")
    add_option(arguments)
    given = arguments.parse_args()
    try:
        return int(not run(given.messages, given.rounds, not given.no_peers, given.compiled))
    except CannotRunError as error:
        print(f"skipped, no PostgreSQL can run here: {error}")
        return 0


if __name__ == "__main__":
    sys.exit(main())

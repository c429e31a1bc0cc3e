"""How long a message takes from one deployment to another, at 100 messages a second.

    .venv/bin/python benchmarks/messaging/latency.py [--seconds 30] [--rate 100] [--compiled build/compiled]

Each message is in a transaction of its own, in one of 50 conversations; Celery's wake-up, both endpoints and TCP are on
the way. It begins before the transaction that sends, and ends when another process has received and committed it.
Everything is durable, and the applications have run for some seconds. The same for a SEND while Redis is down, which
must not wait for it.

The peer is one hop of Celery in the same minute, as often a second: from before a task is sent until it begins, before
and after the messages, whatever the machine does at the time. The claims: half of the messages take at most 2.5 hops,
and 99 of 100 at most 10; SEND without Redis at most 100 ms. What 99 of 100 hops of Celery take stands beside it, and
says how evenly the machine runs.
"""

from __future__ import annotations

import argparse
import os
import signal
import statistics
import sys
import tempfile
import time
from collections.abc import Generator
from contextlib import closing
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent.parent))

from benchmarks.claims import claim, machine
from benchmarks.messaging.compiled_engine import add_option, settings_of
from benchmarks.messaging.end_to_end import Ours, kept_valkey
from benchmarks.messaging.peers.running import CannotBeHad, Peers, conninfo
from scripts.postgres import CannotRunError, Server, running
from tests.acceptance.deployments import Deployment, join, two

HALF_HOPS, MOST_HOPS = 2.5, 10.0
HOPS_SECONDS = 5.0
WARM_SECONDS = 3
"""Not measured: with their first messages both applications load modules and connect."""


def milliseconds(first: Deployment, second: Deployment, handles: list[str], rate: float, seconds: float) -> list[float]:
    """Of each message, the quickest first."""
    warm, count = int(rate * WARM_SECONDS), int(rate * (WARM_SECONDS + seconds))
    sender, receiver = first.application("send_evenly", rate, count, 1, *handles), second.application("arrivals", count)
    for each in (sender, receiver):
        each.says()
    for each in (receiver, sender):
        each.go()
    took: list[float] = receiver.says()
    for each in (sender, receiver):
        each.end()
    return sorted(took[warm:])


def without_redis(first: Deployment, handles: list[str]) -> float:
    """The longest of some SENDs while the Valkey of the sender stands still, in milliseconds."""
    pid = first.product.pids()["valkey"]
    sender = first.application("send_timed", 20, *handles)
    sender.says()
    os.kill(pid, signal.SIGKILL)
    sender.go()
    took: list[float] = sender.says()
    sender.end()
    return max(took)


def hops(folder: Path, server: Server, rate: float) -> Generator[float]:
    """The median of Celery's, in milliseconds, measured at each call; the first call installs it."""
    peers = Peers(folder / "python")
    server.create("celery")
    with kept_valkey(folder) as broker:
        environ = {"BROKER": broker, "DATABASE": conninfo(server, "celery")}
        with peers.worker(**environ):
            peers.figures("with_celery", "hops", 10, 2, **environ)  # the first request loads the code and connects
            while True:
                half, most = peers.figures("with_celery", "hops", rate, HOPS_SECONDS, **environ)
                print(f"       Celery: half of the hops within {half:.1f} ms, 99 of 100 within {most:.1f}", flush=True)
                yield half


def run(rate: float, seconds: float, compiled: Path | None) -> bool:
    print(machine(), "compiled engine" if compiled else "")
    with (
        tempfile.TemporaryDirectory(prefix="b-", dir="/tmp") as folder,
        running(durable=True) as server,
        two(Path(folder), server, **settings_of(compiled)) as (first, second),
        closing(hops(Path(folder), server, rate)) as hop,
    ):
        join(first, second)
        handles = Ours(first, second, encryptions=("off",)).handles["off"]
        before = next(hop)
        took = milliseconds(first, second, handles, rate, seconds)
        beside = f"load {os.getloadavg()[0]:.1f}, shortest {took[0]:.1f} ms, longest {took[-1]:.0f} ms"
        half, most = statistics.median(took), took[int(len(took) * 0.99)]
        one = statistics.mean((before, next(hop)))
        print(f"       {rate:g} a second: half within {half:.1f} ms, 99 of 100 within {most:.0f}; {beside}")
        kept = [
            claim("half within", half / one, HALF_HOPS, f"hops of {one:.1f} ms"),
            claim("99 of 100 within", most / one, MOST_HOPS, "hops"),
            claim("SEND without Redis, at most", without_redis(first, handles), 100, "ms"),
        ]
        time.sleep(1)  # the supervisor brings the Valkey back before it is asked to stop
    return all(kept)


def main() -> int:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--seconds", type=float, default=30.0)
    arguments.add_argument("--rate", type=float, default=100.0)
    add_option(arguments)
    given = arguments.parse_args()
    try:
        return int(not run(given.rate, given.seconds, given.compiled))
    except (CannotRunError, CannotBeHad) as error:
        print(f"skipped, no PostgreSQL or no Celery can be had here: {error}")
        return 0


if __name__ == "__main__":
    sys.exit(main())

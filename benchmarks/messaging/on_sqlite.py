"""How long a message takes between two instances of one deployment on SQLite, as a newcomer has it.

    .venv/bin/python benchmarks/messaging/on_sqlite.py [--seconds 20] [--rate 10]

One deployment with all its processes, its database a file, two hosted instances with their endpoint, TCP between them.
A message of 1 KB is in a transaction of its own, in one of 50 conversations. It begins before the SEND, and ends when
another process has received and committed it. Half of the messages are to take at most 25 ms.

Then five senders and the receiver work as fast as they can: none of their verbs is refused because of a lock.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent.parent))

from benchmarks.claims import claim, machine
from benchmarks.messaging.end_to_end import SENDERS, Ours
from benchmarks.messaging.latency import milliseconds
from tests.acceptance.deployments import Deployment, join
from tests.brokerui.product import free_port, running

HALF_MS = 25.0
TOGETHER = 1_000
"""Messages of the five senders."""


@contextmanager
def one_deployment(folder: Path) -> Iterator[tuple[Deployment, Deployment]]:
    """Both instances in one product on a file of SQLite."""
    settings = {"DEMO": "0"}
    with running(folder, DEMO="0") as product:
        sides = (("A", "one", "From"), ("B", "two", "To"))
        first, second = (Deployment(product, *side, free_port(), settings) for side in sides)
        join(first, second)
        yield first, second


def run(rate: float, seconds: float) -> bool:
    print(machine())
    with (
        tempfile.TemporaryDirectory(prefix="b-", dir="/tmp") as folder,
        one_deployment(Path(folder)) as (first, second),
    ):
        ours = Ours(first, second, encryptions=("off",))
        took = milliseconds(first, second, ours.handles["off"], rate, seconds)
        half, most = statistics.median(took), took[int(len(took) * 0.99)]
        beside = f"longest {took[-1]:.0f}; load {os.getloadavg()[0]:.1f}"
        print(f"       {rate:g} a second: 99 of 100 within {most:.0f} ms, {beside}")
        kept = claim("on SQLite half within", half, HALF_MS, "ms")
        # An application that a verb refuses ends, and then so does this.
        together = ours.rate(TOGETHER, 1, senders=SENDERS)
        print(f"       {SENDERS} senders: {together:,.0f} a second, no verb refused")
    return kept


def main() -> int:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--seconds", type=float, default=20.0)
    arguments.add_argument("--rate", type=float, default=10.0)
    given = arguments.parse_args()
    return int(not run(given.rate, given.seconds))


if __name__ == "__main__":
    sys.exit(main())

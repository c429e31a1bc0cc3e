"""Rate of messages while twenty people watch the pages, beside the rate without them, in one run.

    .venv/bin/python benchmarks/messaging/watched_rate.py [--messages 20000] [--rounds 3] [--watchers 20]

Two deployments over TCP as in `end_to_end.py`, durable on PostgreSQL, 100 messages of 1 KB in a transaction. All watch
the sender's, each on a page of its own that the browser polls every 3 seconds. The rate is measured in turns, without
and with them. Then messages come evenly at half of the top rate, and the time of each until it is received is taken.

The claims: with watchers at least 0.8 of the rate without; at half of the rate there is no backlog: of the last tenth
of the messages half are received within a second.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent.parent))

from benchmarks.claims import claim, machine
from benchmarks.messaging.end_to_end import Ours
from benchmarks.messaging.watching import Times, Watcher, polling
from scripts.postgres import CannotRunError, running
from tests.acceptance.deployments import Deployment, join, two

AT_ONCE = 100
EVENLY_S = 20
"""Seconds for which messages come at half of the rate."""
LEAST = 0.8
LATE_MS = 1_000.0


def cookies(first: Deployment, count: int) -> list[str]:
    application = first.application("cookies", count)
    application.says()
    application.go()
    found: list[str] = application.says()
    application.end()
    return found


def last_tenth_ms(ours: Ours, rate: float) -> float:
    """The median time of the last tenth of the messages that come at this rate."""
    count = int(rate * EVENLY_S) // AT_ONCE * AT_ONCE
    sender = ours.first.application("send_evenly", rate, count, AT_ONCE, *ours.handles["off"])
    receiver = ours.second.application("arrivals", count)
    for each in (sender, receiver):
        each.says()
    for each in (receiver, sender):
        each.go()
    took: list[float] = receiver.says()
    for each in (sender, receiver):
        each.end()
    return statistics.median(took[-count // 10 :])


def run(messages: int, rounds: int, watchers: int) -> bool:
    print(machine())
    with (
        tempfile.TemporaryDirectory(prefix="b-", dir="/tmp") as folder,
        running(durable=True) as server,
        two(Path(folder), server) as both,
    ):
        join(*both)
        ours, times = Ours(*both, encryptions=("off",)), Times()
        browsers = [Watcher(both[0].product.port, one, times, n) for n, one in enumerate(cookies(both[0], watchers))]
        ours.rate(messages // 10, AT_ONCE)
        alone, with_them = [], []
        for _ in range(rounds):
            alone.append(ours.rate(messages, AT_ONCE))
            with polling(browsers, "poll"):
                with_them.append(ours.rate(messages, AT_ONCE))
            print(f"       {alone[-1]:,.0f}/s alone, {with_them[-1]:,.0f}/s with {watchers} watchers", flush=True)
        top = statistics.median(alone)
        with polling(browsers, "poll"):
            late = last_tenth_ms(ours, top / 2)
    for kind in ("poll 200", "poll 304"):
        print(f"       {kind}: median {statistics.median(times.of[kind] or [0]):,.0f} ms of {len(times.of[kind])}")
    return all(
        [
            claim("rate with watchers", statistics.median(with_them) / top, LEAST, "of that without", at_least=True),
            claim(f"at {top / 2:,.0f}/s with watchers, the last tenth", late, LATE_MS, "ms, median"),
        ]
    )


def main() -> int:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--messages", type=int, default=20_000)
    arguments.add_argument("--rounds", type=int, default=3)
    arguments.add_argument("--watchers", type=int, default=20)
    given = arguments.parse_args()
    try:
        return int(not run(given.messages, given.rounds, given.watchers))
    except CannotRunError as error:
        print(f"skipped, no PostgreSQL can run here: {error}")
        return 0


if __name__ == "__main__":
    sys.exit(main())

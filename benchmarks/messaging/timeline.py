"""Where the time of one message goes, from the SEND to the end of the RECEIVE, at 100 messages a second.

    .venv/bin/python benchmarks/messaging/timeline.py [--seconds 20] [--rate 100] [--compiled build/compiled]

As `latency.py`: two deployments with all their processes over TCP, one message of 1 KB in a transaction, 50
conversations, durable. Functions of the product are wrapped from outside (`traced/`). Of each stage: half of the
messages within, 99 of 100 within, and what the slowest hundredth of all messages took in it at the mean, which says
where their time went, and the bursts in which those came, with what ran beside the first message of each. Then the
tasks of Celery and the collections of garbage that ran meanwhile, by process.

It claims nothing by itself; `latency.py` claims.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
import tempfile
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

sys.path.insert(0, str(Path(__file__).resolve().parent.parent.parent))

from benchmarks.claims import machine
from benchmarks.messaging.compiled_engine import add_option, settings_of
from benchmarks.messaging.end_to_end import Ours
from benchmarks.messaging.latency import WARM_SECONDS, milliseconds
from scripts.postgres import CannotRunError, running
from tests.acceptance.deployments import join, two

TRACED = Path(__file__).parent / "traced"
STAGES: Final = {
    "sent": "SEND, to its commit",
    "listed": "its frame into the list of the endpoint",
    "written": "until the endpoint sends it",
    "came": "the wire",
    "arrived": "into the list of the shard",
    "taken": "until a worker takes it",
    "kept": "the engine, to the worker's commit",
    "rung": "the bell of the queue",
    "heard": "until the reader hears it",
    "begun": "until the reader asks",
    "received": "RECEIVE, to its commit",
}
"""The stages in their order, each with what happens before it."""
BURST_S: Final = 0.2
"""Slow messages that were sent within this many seconds of each other are of one burst."""
BESIDE: Final = "beside:"
BESIDE_SHOWN: Final = 25


def times_of(folder: Path) -> tuple[dict[str, dict[str, float]], dict[str, list[tuple[float, float]]]]:
    """Return the moments of each message by stage. And, by process and name, what ran beside them: when it began, and
    its seconds."""
    moments, beside = defaultdict[str, dict[str, float]](dict), defaultdict[str, list[tuple[float, float]]](list)
    for file in sorted(folder.glob("*.txt")):
        for line in file.read_text().splitlines():
            stage, at, *names = line.split()
            if stage.startswith(BESIDE):
                beside[f"{file.stem}: {stage.removeprefix(BESIDE)}"].append((float(at), float(names[0])))
            else:
                for name in names:
                    moments[name].setdefault(stage, float(at))
    return moments, beside


def stages_of(began: float, moments: Mapping[str, float]) -> dict[str, float]:
    """Return the milliseconds of each stage of a message. A reader that asks before it hears has not waited."""
    times, last = dict[str, float](), began
    for stage in STAGES:
        at = max(last, moments.get(stage, last))
        times[stage], last = 1000 * (at - last), at
    return times


def at_99(times: Sequence[float]) -> float:
    """Return the time within which 99 of 100 are."""
    return sorted(times)[int(len(times) * 0.99)]


def show(messages: Mapping[str, dict[str, float]]) -> None:
    """The table of stages."""
    of_all = [stages_of(float(name), moments) for name, moments in messages.items()]
    whole = [sum(times.values()) for times in of_all]
    slow = sorted(of_all, key=lambda times: -sum(times.values()))[: max(1, len(of_all) // 100)]
    print(f"\n{len(of_all):,} messages\n   half   99 of 100   mean of the slowest hundredth, in milliseconds")
    for stage, text in STAGES.items():
        own = [times[stage] for times in of_all]
        mean = statistics.mean(times[stage] for times in slow)
        print(f"  {statistics.median(own):5.2f}  {at_99(own):10.1f}  {mean:10.1f}  {text}")
    mean = statistics.mean(map(sum, (times.values() for times in slow)))
    print(f"  {statistics.median(whole):5.2f}  {at_99(whole):10.1f}  {mean:10.1f}  together")


def show_slowest(messages: Mapping[str, dict[str, float]], count: int = 12) -> None:
    """The stage in which each of the slowest messages was longest."""
    every = ((name, stages_of(float(name), moments)) for name, moments in messages.items())
    print("\nthe slowest: milliseconds, and its longest stages")
    for name, times in sorted(every, key=lambda pair: -sum(pair[1].values()))[:count]:
        longest = sorted(times.items(), key=lambda pair: -pair[1])[:3]
        stages = ", ".join(f"{STAGES[stage]} {ms:.1f}" for stage, ms in longest)
        print(f"  {sum(times.values()):6.1f}, sent at {float(name) % 1000:7.3f}: {stages}")


def show_bursts(messages: Mapping[str, dict[str, float]], beside: Mapping[str, Sequence[tuple[float, float]]]) -> None:
    """The slowest hundredth by the moments at which they were sent: one pause makes many slow that are sent one after
    the other. Of each burst: the longest stages of its first message, and what ran beside that one."""
    whole = {float(name): stages_of(float(name), moments) for name, moments in messages.items()}
    limit = at_99([sum(times.values()) for times in whole.values()])
    bursts: list[list[float]] = []
    for sent in sorted(at for at, times in whole.items() if sum(times.values()) >= limit):
        if bursts and sent - bursts[-1][-1] < BURST_S:
            bursts[-1].append(sent)
        else:
            bursts.append([sent])
    print(f"\nthe slowest hundredth, {limit:.1f} ms and more, in {len(bursts)} bursts: messages, the first of them")
    for burst in bursts:
        first, times = burst[0], whole[burst[0]]
        stages = ", ".join(f"{STAGES[one]} {times[one]:.1f}" for one in sorted(times, key=lambda one: -times[one])[:3])
        end = first + sum(times.values()) / 1000
        names = sorted({name for name, runs in beside.items() for at, took in runs if at < end and at + took > first})
        print(f"  {len(burst):5d}  {first % 1000:7.3f}  {stages}; beside it: {', '.join(names) or 'nothing'}")


def show_beside(beside: Mapping[str, Sequence[tuple[float, float]]], first: float, last: float) -> None:
    """The table of tasks and collections between two moments, the longest first."""
    print("\nbeside them, tasks and collections of a millisecond or more: number, longest and sum in milliseconds")
    within = {name: [took for at, took in runs if first <= at <= last] for name, runs in beside.items()}
    for name, times in sorted(within.items(), key=lambda pair: -sum(pair[1]))[:BESIDE_SHOWN]:
        if times:
            print(f"  {len(times):5d}  {1000 * max(times):8.1f}  {1000 * sum(times):9.1f}  {name}")


def run(rate: float, seconds: float, compiled: Path | None) -> None:
    print(machine(), "compiled engine" if compiled else "")
    with tempfile.TemporaryDirectory(prefix="b-", dir="/tmp") as name, running(durable=True) as server:
        folder = Path(name)
        (folder / "traces").mkdir()
        os.environ["BROKERUI_TRACES"] = str(folder / "traces")
        with two(folder, server, **settings_of(compiled, [TRACED])) as both:
            join(*both)
            handles = Ours(*both, encryptions=("off",)).handles["off"]
            milliseconds(*both, handles, rate, seconds)
            moments, beside = times_of(folder / "traces")
        whole = {name: own for name, own in sorted(moments.items()) if "received" in own and "sent" in own}
        messages = dict(list(whole.items())[int(rate * WARM_SECONDS) :])
    show(messages)
    show_slowest(messages)
    show_bursts(messages, beside)
    times = sorted(map(float, messages))
    show_beside(beside, times[0], times[-1])


def main() -> int:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--seconds", type=float, default=20.0)
    arguments.add_argument("--rate", type=float, default=100.0)
    add_option(arguments)
    given = arguments.parse_args()
    try:
        run(given.rate, given.seconds, given.compiled)
    except CannotRunError as error:
        print(f"skipped, no PostgreSQL can be had here: {error}")
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""`brokerui simulate`: whole brokers in seeded worlds that misbehave, and what the checkers say of them."""

from __future__ import annotations

import argparse
import gc
import secrets
import sys
from collections import Counter
from collections.abc import Callable
from time import perf_counter

from brokerui.cli.arguments import must_be_given
from brokerui.core.languages import here, local
from routing.common.sentence import Sentence, say, say_counted
from routing.simulation.application_records import ApplicationSent
from routing.simulation.faults import LEVELS
from routing.simulation.records import BrokerStopped, FrameLost, FrameSent
from routing.simulation.shrinking import SimulationResult, shrink, simulate
from routing.simulation.violation_trace import trace_lines
from routing.simulation.world import maskable_parts

FRESH = 1_000_000
"""Seeds among which one is drawn when none is given."""
NAMED = 12
"""Parts of a world that are named before the rest is counted."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    help_text = local(say("the first seed (default: a fresh one, which is printed)"))
    parser.add_argument("--seed", metavar="N", type=_whole(0), help=help_text)
    help_text = local(say("number of simulated worlds, each with the next seed (default: 1)"))
    parser.add_argument("--runs", metavar="N", type=_whole(1), default=1, help=help_text)
    help_text = local(say("faults that are injected (default: heavy)"))
    parser.add_argument("--faults", choices=tuple(LEVELS), default="heavy", help=help_text)


def _whole(least: int) -> Callable[[str], int]:
    def parsed(text: str) -> int:
        if not text.isascii() or not text.isdigit() or len(text) > 18 or int(text) < least:
            raise must_be_given(say("a whole number from {least} on", least=least), text)
        return int(text)

    return parsed


def run(options: argparse.Namespace) -> int:
    """0 when no promise was broken, 1 at the first that was."""
    gc.disable()  # a world is garbage as a whole, once it is over
    first = secrets.randbelow(FRESH) if options.seed is None else options.seed
    last = first + options.runs - 1
    _print(say("seeds {first} to {last}, faults {faults}", first=first, last=last, faults=options.faults))
    sys.stdout.flush()
    counts: Counter[str] = Counter()
    began = perf_counter()
    for seed in range(first, last + 1):
        found = simulate(seed, options.faults)
        if found.violations:
            _print_violation(found)
            return 1
        _count(found, counts)
        del found
        gc.collect()
    _print_summary(counts, options.runs, perf_counter() - began)
    return 0


def _count(found: SimulationResult, counts: Counter[str]) -> None:
    kinds = Counter(type(record) for record in found.history.records)
    counts["messages"] += kinds[ApplicationSent]
    counts["frames"] += kinds[FrameSent]
    counts["lost"] += kinds[FrameLost]
    counts["stops"] += kinds[BrokerStopped]
    counts["milliseconds"] += found.history.duration
    counts["orphans"] += len(found.orphans)


def _print_summary(counts: Counter[str], worlds: int, seconds: float) -> None:
    values = {name: f"{counts[name]:,}" for name in ("messages", "frames", "lost", "stops", "orphans")}
    _print(
        say_counted(
            worlds,
            "{count} world: {messages} messages in {frames} frames, {lost} of them lost; {stops} crashes",
            "{count} worlds: {messages} messages in {frames} frames, {lost} of them lost; {stops} crashes",
            **values,
        )
    )
    hours, took = f"{counts['milliseconds'] / 3_600_000:,.1f}", f"{seconds:,.1f}"
    _print(say("{hours} hours in {took} seconds", hours=hours, took=took))
    _print(say("No promise was broken; {orphans} deliveries went elsewhere or nowhere, as they may.", **values))


def _print_violation(found: SimulationResult) -> None:
    world = found.world
    smallest = shrink(found)
    violation = smallest.violations[0]
    mask = smallest.world.mask
    names = maskable_parts(world)
    out = [name for name in names if not mask.takes(name)]
    needed = [name for name in names if mask.takes(name)]
    _print(say("seed {seed}: {promise} is broken", seed=world.seed, promise=violation.promise))
    _print(violation.what)
    _print(
        say(
            "needs {needed}; {out} of {all} parts left out",
            needed=tuple(needed[:NAMED]) or "-",
            out=len(out),
            all=len(names),
        )
    )
    sys.stdout.writelines(f"  {line}\n" for line in trace_lines(smallest.history, violation))
    _print(
        say(
            "again: {command}",
            command=f"brokerui simulate --seed {world.seed} --faults {world.faults}",
        )
    )


def _print(sentence: Sentence) -> None:
    sys.stdout.write(f"{sentence.render(here())}\n")

"""A decision does not grow with its table: 50,000 rows against 500, and against the naive evaluator on the large one.

.venv/bin/python benchmarks/routing/one_table.py

Two readings. *As many names*: 500 of either table, again and again. *All names*: each of either table in a random
order, those of the small one as often as it takes; what the large one needs then comes from memory, not from caches.
The names asked for are equal to those in the table but not the same objects, as where a question was just read.
"""

from __future__ import annotations

import json
import random
import sys
import time
from collections.abc import Callable, Iterator
from itertools import cycle, islice
from pathlib import Path
from statistics import median
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent.parent))

from benchmarks.claims import AT, claim, settle
from benchmarks.estates import one_table
from routing.documents.estate_document import read_estate
from routing.model.conversation import Conversation
from routing.rules.router import route
from tests.naive import outcomes as naive_outcomes
from tests.naive.matching import matching
from tests.naive.message import Question
from tests.naive.way import start

SMALL, LARGE = 500, 50_000
NAMES = 500
ASKED, ROUNDS, NAIVE, BATCH = 50_000, 7, 7, 20
Numbers = list[int]
Ask = Callable[[list[str]], float]


def as_many_names(rows: int) -> Numbers:
    """From all over the table, one in eleven not in it."""
    rng = random.Random(3)
    pool = [rng.randrange(rows * 11 // 10) for _ in range(NAMES)]
    return rng.choices(pool, k=ASKED)


def all_names(rows: int) -> Numbers:
    """Those of the table, all before one comes again."""
    numbers = list(range(rows - 1))  # one row is AutoCreatedLocal
    random.Random(3).shuffle(numbers)
    return list(islice(cycle(numbers), ASKED))


def name(number: int) -> str:
    return f"Service{number:06}"


def engine(rows: int) -> Ask:
    estate = read_estate(json.dumps(one_table(rows=rows)))

    def decide(questions: list[Conversation]) -> None:
        for one in questions:
            route(estate, one, AT)

    return lambda names: timed(decide, [Conversation("near", "Big", one) for one in names])


def bare_look_up(rows: int) -> Ask:
    """The least that finding a name costs in this language: a dictionary that holds as many and nothing else."""
    held = {name(number): None for number in range(rows - 1)}

    def look_up(names: list[str]) -> None:
        for one in names:
            held.get(one)

    return lambda names: timed(look_up, names)


def timed(work: Callable[[list[Any]], None], questions: list[Any]) -> float:
    began = time.process_time()
    work(questions)
    return (time.process_time() - began) / len(questions)


def median_seconds(ask: Ask, numbers: Numbers) -> float:
    """Of one; a clock is read before and after a batch, which is too short to be disturbed often."""
    return median(ask([name(n) for n in numbers[at : at + BATCH]]) for at in range(0, len(numbers), BATCH))


def rounds(small: Ask, large: Ask, reading: Callable[[int], Numbers]) -> Iterator[tuple[float, float]]:
    """The medians of the small and of the large, in turn, so that a busy machine is as busy for both."""
    few, many = reading(SMALL), reading(LARGE)
    settle()
    for _ in range(ROUNDS):
        yield median_seconds(small, few), median_seconds(large, many)


def growth(small: Ask, large: Ask, reading: Callable[[int], Numbers]) -> tuple[float, float, float]:
    """How many times longer the large takes, and the seconds of the small and the large: medians over the rounds."""
    found = list(rounds(small, large, reading))
    return median(b / a for a, b in found), median(a for a, _ in found), median(b for _, b in found)


def naive(work: Callable[[dict[str, Any], dict[str, Any]], object]) -> float:
    """The median seconds of some questions to the large table."""
    document = one_table(rows=LARGE)
    origin = {"instance": "near", "database": "Big"}
    seconds = []
    for number in as_many_names(LARGE)[:NAIVE]:
        began = time.process_time()
        work(document, {"from": origin, "to_service": name(number)})
        seconds.append(time.process_time() - began)
    return median(seconds)


def one_matching(document: dict[str, Any], one: dict[str, Any]) -> object:
    """The first hop alone: no more than a decision of the engine."""
    question = Question(document, one["to_service"], None, False, AT)
    return matching(question, start(question, one["from"]))


def main() -> int:
    engines = engine(SMALL), engine(LARGE)
    same, _, large = growth(*engines, as_many_names)
    everything, one, other = growth(*engines, all_names)
    _, least, most = growth(bare_look_up(SMALL), bare_look_up(LARGE), all_names)
    journey = naive(lambda document, one: naive_outcomes(document, one, AT))
    first_hop = naive(one_matching)
    memory = (
        f"{one * 1e6:.2f} µs and {other * 1e6:.2f} µs, {(other - one) * 1e6:.2f} µs more; "
        f"a bare look-up in a dictionary {(most - least) * 1e6:.2f} µs more"
    )
    kept = [
        claim("median decision, large table to small, as many names", same, 1.5, "times", f"{large * 1e6:.2f} µs"),
        claim("median decision, large table to small, all names", everything, 1.5, "times", memory),
        claim("against the naive evaluator's first hop", first_hop / large, 1000, "times faster",
              f"{first_hop * 1e3:.1f} ms; a whole naive journey {journey * 1e3:.1f} ms", at_least=True),
    ]  # fmt: skip
    return 0 if all(kept) else 1


if __name__ == "__main__":
    sys.exit(main())

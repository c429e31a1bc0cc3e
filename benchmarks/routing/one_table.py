"""A decision does not grow with its table: 50,000 rows against 500, and against the naive evaluator on the large one.

.venv/bin/python benchmarks/routing/one_table.py
"""

from __future__ import annotations

import json
import random
import sys
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent.parent))

from benchmarks.claims import AT, claim, settle
from benchmarks.estates import one_table
from routing.asking import conversation_from
from routing.document import read_estate
from routing.router import route
from tests.naive import outcomes as naive_outcomes
from tests.naive.matching import matching
from tests.naive.message import Question
from tests.naive.way import start

ROWS = (500, 50_000)
NAMES = 500
"""Asked for in both tables: the processor's caches then hold as much of the one as of the other."""
ASKED, NAIVE, BATCH = 4_000, 7, 20


def questions(rows: int, names: int) -> list[dict[str, Any]]:
    """So many names from all over the table, one in eleven not in it, asked again and again."""
    rng = random.Random(3)
    pool = [f"Service{rng.randrange(rows * 11 // 10):06}" for _ in range(names)]
    origin = {"instance": "near", "database": "Big"}
    return [{"from": origin, "to_service": rng.choice(pool)} for _ in range(ASKED)]


def median_seconds(batches: list[Callable[[], object]], each: int) -> float:
    """Of one decision; a clock is read before and after a batch, which is too short to be disturbed often."""
    seconds = []
    for batch in batches:
        began = time.process_time()
        batch()
        seconds.append((time.process_time() - began) / each)
    return median(seconds)


def engine(rows: int, names: int) -> float:
    estate = read_estate(json.dumps(one_table(rows=rows)))
    asked = [conversation_from(one) for one in questions(rows, names)]
    pieces = [asked[at : at + BATCH] for at in range(0, ASKED, BATCH)]
    batches = [lambda piece=piece: [route(estate, one, AT) for one in piece] for piece in pieces]  # type: ignore[misc]
    settle()
    return median_seconds(batches * 5, BATCH)


def naive(rows: int, work: Callable[[dict[str, Any], dict[str, Any]], object]) -> float:
    document = one_table(rows=rows)
    return median_seconds([lambda one=one: work(document, one) for one in questions(rows, NAMES)[:NAIVE]], 1)  # type: ignore[misc]


def one_matching(document: dict[str, Any], one: dict[str, Any]) -> object:
    """The first hop alone: no more than a decision of the engine."""
    question = Question(document, one["to_service"], None, False, AT)
    return matching(question, start(question, one["from"]))


def main() -> int:
    small, large = (engine(rows, NAMES) for rows in ROWS)
    everywhere = engine(ROWS[1], ROWS[1]) / engine(ROWS[0], ROWS[1])
    journey = naive(ROWS[1], lambda document, one: naive_outcomes(document, one, AT))
    first_hop = naive(ROWS[1], one_matching)
    growth = (
        f"{small * 1e6:.2f} µs and {large * 1e6:.2f} µs; {everywhere:.2f} times when the names are "
        "all different, so that they come from memory and not from caches"
    )
    kept = [
        claim("median decision, large table to small", large / small, 1.5, "times", growth),
        claim("against the naive evaluator's first hop", first_hop / large, 1000, "times faster",
              f"{first_hop * 1e3:.1f} ms; a whole naive journey {journey * 1e3:.1f} ms", at_least=True),
    ]  # fmt: skip
    return 0 if all(kept) else 1


if __name__ == "__main__":
    sys.exit(main())

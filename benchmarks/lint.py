"""Lint of an estate of 50,000 routes, on one core, beside the reading of its document in the same run.

    .venv/bin/python benchmarks/lint.py [--routes 50000] [--runs 3]

The claim: under 5 seconds, and linear: twice the estate takes about twice the time.
"""

from __future__ import annotations

import argparse
import gc
import json
import sys
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import TypeVar

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.estates import large_estate
from routing.document import read_estate
from routing.lint.registry import CHECKS, lint

AT = datetime(2026, 1, 1, tzinfo=UTC)
LIMIT = 5.0
_T = TypeVar("_T")


def best(runs: int, work: Callable[[], _T]) -> tuple[float, _T]:
    """The shortest of some runs, and what the last one gave."""
    times = []
    for _ in range(runs):
        start = time.process_time()
        result = work()
        times.append(time.process_time() - start)
    return min(times), result


def measure(routes: int, runs: int) -> float:
    """Seconds of lint; prints them beside the reading of the document."""
    text = json.dumps(large_estate(instances=routes // 50, databases=routes // 10, routes=routes, names=routes // 5))
    reading, estate = best(runs, lambda: read_estate(text))
    linting, findings = best(runs, lambda: lint(estate, AT))
    print(
        f"{routes:>7} routes: {len(CHECKS)} checks in {linting:.2f} s, {len(findings)} findings; "
        f"reading the document {reading:.2f} s; ratio {linting / reading:.2f}"
    )
    return linting


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--routes", type=int, default=50_000)
    parser.add_argument("--runs", type=int, default=3)
    options = parser.parse_args()
    gc.disable()
    half = measure(options.routes // 2, options.runs)
    whole = measure(options.routes, options.runs)
    print(f"twice the routes take {whole / half:.2f} times as long")
    return int(whole > LIMIT)


if __name__ == "__main__":
    sys.exit(main())

"""Lint of an estate of 50,000 routes, on one core, beside the reading of its document in the same run.

    .venv/bin/python benchmarks/lint.py [--routes 50000] [--servers 1000] [--runs 3]

The claim: under 5 seconds, and linear: twice the estate takes about twice the time. The same for rings of servers that
forward everything to the next one, where a walk from every server would cost the square of them. And findings about
one instance, as an editor wants them, in under 100 ms.
"""

from __future__ import annotations

import argparse
import gc
import json
import sys
import time
from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import TypeVar

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.estates import Document, large_estate, ring
from routing.documents.estate_document import read_estate
from routing.lint.registry import CHECKS, lint, lint_around
from routing.model.estate import Estate

AT = datetime(2026, 1, 1, tzinfo=UTC)
LIMIT = 5.0
LIMIT_AROUND = 0.1
_T = TypeVar("_T")


def best(runs: int, work: Callable[[], _T]) -> tuple[float, _T]:
    """The shortest of some runs, and what the last one gave."""
    times: list[float] = []
    results: list[_T] = []
    for _ in range(runs):
        start = time.process_time()
        results[:] = [work()]
        times.append(time.process_time() - start)
    return min(times), results[0]


def measure(document: Document, what: str, runs: int) -> float:
    """Seconds of lint; prints them beside the reading of the document."""
    text = json.dumps(document)
    reading, estate = best(runs, lambda: read_estate(text))
    linting, findings = best(runs, lambda: lint(estate, AT))
    print(
        f"{what}: {len(CHECKS)} checks in {linting:.2f} s, {len(findings)} findings; "
        f"reading the document {reading:.2f} s; ratio {linting / reading:.2f}"
    )
    return linting


def of_routes(routes: int) -> Document:
    return large_estate(instances=routes // 50, databases=routes // 10, routes=routes, names=routes // 5)


def doubled(what: str, make: Callable[[int], Document], size: int, runs: int) -> bool:
    """Whether the whole stays under the limit; half of it is measured first."""
    half, whole = (measure(make(part), f"{part:>7} {what}", runs) for part in (size // 2, size))
    print(f"twice the {what} take {whole / half:.2f} times as long")
    return whole <= LIMIT


def around(estate: Estate, runs: int) -> bool:
    """Whether the findings about one instance come at once: the slowest of some instances, hubs among them."""
    names = list(estate.instances)
    some = [*names[:5], *names[:: max(len(names) // 10, 1)]]
    slowest = max(best(runs, partial(lint_around, estate, AT, name))[0] for name in some)
    print(f"around one instance: {slowest * 1000:.0f} ms, the slowest of {len(some)}")
    return slowest <= LIMIT_AROUND


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--routes", type=int, default=50_000)
    parser.add_argument("--servers", type=int, default=1_000)
    parser.add_argument("--runs", type=int, default=3)
    options = parser.parse_args()
    gc.disable()
    shapes = (
        ("routes", of_routes, options.routes),
        ("servers in a ring, each with a name", lambda n: ring(servers=n), options.servers),
        ("servers in a ring, each with an identifier", lambda n: ring(servers=n, identifiers=True), options.servers),
    )
    kept = [doubled(what, make, size, options.runs) for what, make, size in shapes]
    kept.append(around(read_estate(json.dumps(of_routes(options.routes))), options.runs))
    return int(not all(kept))


if __name__ == "__main__":
    sys.exit(main())

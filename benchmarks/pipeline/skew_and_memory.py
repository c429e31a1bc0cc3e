"""One class with nine tenths of the rows, and ten times the rows: what they cost in time and in memory.

    .venv/bin/python benchmarks/pipeline/skew_and_memory.py [--rows 10000000] [--times 10] [--runs 2]

The claims, for `ingest` with each row once and for `route` of plain files: the skewed traffic costs at most 1.3 times
the even one; a row costs no more, within a fifth, where there are ten times as many; driver and executors stay under
3 GB together, and at ten times the rows too.
"""

from __future__ import annotations

import argparse
import shutil
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent.parent))

from benchmarks.claims import claim, machine
from benchmarks.pipeline.traffic import PLACE, Bench, estates
from pipeline.evaluation.boundaries import boundaries_of
from pipeline.evaluation.evaluator import TimelineEvaluator
from pipeline.evaluation.timeline import Timeline, load_timeline
from pipeline.jobs.traffic_evaluation import evaluate
from pipeline.lake.traffic import traffic_input
from pipeline.results.table_folders import TableFolders
from pipeline.transforms.gold_tables import routed

LIMIT = 3_000


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--times", type=int, default=10, help="how much more the second memory is measured at")
    parser.add_argument("--runs", type=int, default=2)
    options = parser.parse_args()
    print(machine())
    bench = Bench()
    jobs: dict[str, Callable[[str], object]] = {
        "ingest": bench.ingest,
        "route": partial(_route, bench, load_timeline(estates()[0])),
    }
    few = [_skew(bench, name, job, options.rows, options.runs) for name, job in jobs.items()]
    kept = [claim(f"{name}, skewed / even", skewed / even, 1.3, "times") for name, even, skewed in few]
    kept.append(claim("memory, driver and executors", bench.peak_megabytes(), LIMIT, "MB"))
    more = bench.traffic("even", options.rows * options.times)
    for (name, job), (_, even, _) in zip(jobs.items(), few, strict=True):
        what = f"{name}: {options.rows * options.times:,} rows, even"
        took = bench.best(what, 1, partial(job, more), is_warm=True)
        a_row = took.processor / options.times / even
        kept.append(claim(f"{name}, a row of {options.times} times as many", a_row, 1.2, "times"))
    kept.append(claim(f"memory at {options.times} times the rows", bench.peak_megabytes(), LIMIT, "MB"))
    return not all(kept)


def _skew(bench: Bench, name: str, job: Callable[[str], object], rows: int, runs: int) -> tuple[str, float, float]:
    """Seconds of processor of the even traffic and of the skewed one."""
    even, skewed = bench.traffic("even", rows), bench.traffic("skewed", rows, busiest=0.9)
    took = [
        bench.best(f"{name}: {rows:,} rows, {how}", runs, partial(job, traffic)).processor
        for how, traffic in (("even", even), ("skewed", skewed))
    ]
    return name, took[0], took[1]


def _route(bench: Bench, timeline: Timeline, traffic: str) -> None:
    out = PLACE / "out"
    shutil.rmtree(out, ignore_errors=True)
    asker = TimelineEvaluator(timeline)
    given = traffic_input(traffic)
    folders = TableFolders(out, "result-measured")
    source = given.open(bench.spark, given.files(), folders.work)
    found = evaluate(bench.spark, source, (asker, asker), boundaries_of([timeline], given.span()), folders)
    routed(found.rows, found.answers, found.outcome_sets).write.parquet(str(out / "rows"))


if __name__ == "__main__":
    sys.exit(main())

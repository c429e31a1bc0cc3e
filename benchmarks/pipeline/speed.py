"""Replay, route and ingest beside what Spark itself needs on the same files, in one warm session on two cores.

    .venv/bin/python benchmarks/pipeline/speed.py [--rows 10000000] [--runs 5] [--intervals 1 100]

The claims, as ratios of processor seconds: the middle one of some turns, in each of which a job and its peer run one
after the other, so that a machine which others slow down slows both. On a lake: `replay` (the summary of the
differential, weighted) at most 0.5 of Spark's own count by the four key columns, `route` with a row for each row at
most 1.8 of reading and writing the same columns. From files: `ingest` at most 1.6 of reading and writing them, and 4.0
with the search for duplicates. Cold start and the loading of the estates are told apart. DuckDB answers beside, where
it can be imported (`pip install duckdb --target DIR`, then PYTHONPATH=DIR).
"""

from __future__ import annotations

import argparse
import importlib.util
import shutil
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent.parent))

from benchmarks.claims import claim, machine
from benchmarks.pipeline.traffic import PLACE, Bench, Took, estates, noop, ratio, spread
from pipeline.evaluation.boundaries import boundaries_of
from pipeline.evaluation.evaluator import TimelineEvaluator
from pipeline.evaluation.timeline import Timeline, load_timeline
from pipeline.jobs.traffic_evaluation import EvaluatedTraffic, evaluate
from pipeline.lake.traffic import traffic_input
from pipeline.results.output_folder import write_rows
from pipeline.results.table_folders import TableFolders
from pipeline.schemas import COLUMNS
from pipeline.transforms.gold_tables import routed

KEYS = ("from_instance", "from_database", "to_service", "to_broker_instance")
OUT, COPY = PLACE / "out", str(PLACE / "copy")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--runs", type=int, default=5, help="turns, after two to warm up")
    parser.add_argument("--intervals", type=int, nargs="+", default=[1, 100])
    options = parser.parse_args()
    print(machine())
    bench = Bench()
    traffic = bench.traffic("even", options.rows)
    kept = _ingests(bench, traffic, options.runs)
    lake = str(PLACE / "lake-True")
    _duckdb(lake)
    for intervals in options.intervals:
        kept += _asks(bench, lake, intervals, options.runs)
    return not all(kept)


def _ingests(bench: Bench, traffic: str, runs: int) -> list[bool]:
    plain, peer = bench.spark.read.parquet(traffic), "Spark: read and write files"
    works = {
        peer: lambda: plain.write.mode("overwrite").parquet(COPY),
        "ingest as it comes": lambda: bench.ingest(traffic, keep=True),
        "ingest, each row once": lambda: bench.ingest(traffic),
    }
    took = bench.in_turns(runs, works)
    bounds = {"ingest as it comes": 1.6, "ingest, each row once": 4.0}
    return [_claim(what, peer, took, bound) for what, bound in bounds.items()]


def _claim(what: str, peer: str, took: Mapping[str, Sequence[Took]], bound: float) -> bool:
    figure, turns = ratio(took[what], took[peer]), spread(took[what], took[peer])
    return claim(f"{what} / {peer}", figure, bound, "times", turns)


def _asks(bench: Bench, lake: str, intervals: int, runs: int) -> list[bool]:
    began = time.monotonic()
    before, after = (load_timeline(name) for name in estates(intervals))
    print(f"loading two estates of 50,000 routes, {intervals} intervals: {time.monotonic() - began:.1f} s")
    print(f"{_evaluated(bench, lake, before, after).questions:,} questions")
    silver = bench.spark.read.parquet(f"{lake}/silver")
    same = silver.select(*COLUMNS)

    def route() -> None:
        found = _evaluated(bench, lake, before)
        write_rows(routed(found.rows, found.answers, found.outcome_sets), OUT / "rows")

    keys, copied = "Spark: count by four key columns", "Spark: read and write silver"
    replay, routing = (f"{job}, {intervals} intervals" for job in ("replay", "route"))
    took = bench.in_turns(
        runs,
        {
            keys: lambda: noop(silver.groupBy(*KEYS).count()),
            "Spark: count by class": lambda: noop(silver.groupBy("class").count()),
            replay: lambda: _evaluated(bench, lake, before, after),
            copied: lambda: same.write.mode("overwrite").parquet(COPY),
            routing: route,
        },
    )
    return [_claim(replay, keys, took, 0.5), _claim(routing, copied, took, 1.8)]


def _evaluated(bench: Bench, lake: str, *timelines: Timeline) -> EvaluatedTraffic:
    shutil.rmtree(OUT, ignore_errors=True)
    traffic = traffic_input(lake)
    boundaries = boundaries_of(timelines, traffic.span())
    askers = [TimelineEvaluator(timeline) for timeline in timelines]
    folders = TableFolders(OUT, "result-measured")
    rows = traffic.open(bench.spark, [], folders.work)
    return evaluate(bench.spark, rows, (askers[0], askers[-1]), boundaries, folders)


def _duckdb(lake: str) -> None:
    """One machine's honest alternative."""
    if importlib.util.find_spec("duckdb") is None:
        print("  DuckDB is not installed here: pip install duckdb --target DIR, then PYTHONPATH=DIR")
        return
    import duckdb  # noqa: PLC0415 - only where it is installed

    silver = f"'{lake}/silver/*/*/*.parquet'"
    for columns in (", ".join(KEYS), "class"):
        groups = f"SELECT {columns}, count(*), sum(messages), sum(bytes) FROM {silver} GROUP BY ALL"
        began, busy = time.monotonic(), time.process_time()
        duckdb.execute(f"SELECT count(*) FROM ({groups})").fetchall()
        took = Took(time.monotonic() - began, time.process_time() - busy)
        print(f"  {f'DuckDB: count and sums by {columns}':<44}{took}")


if __name__ == "__main__":
    assert set(KEYS) < set(COLUMNS)
    sys.exit(main())

"""Replay, route and ingest beside what Spark itself needs on the same files, in one warm session on two cores.

    .venv/bin/python benchmarks/pipeline/speed.py [--rows 10000000] [--runs 5] [--intervals 1 100]
        [--jobs ingest replay route]

The claims, as ratios of processor seconds: the middle one of some turns, in each of which a job and its peer run one
after the other, so that a machine which others slow down slows both. On a lake: `replay` (the summary of the
differential, weighted) at most 0.5 of Spark's own count by the four key columns, `route` with a row for each row at
most 1.8 of reading and writing the same columns. From files: `ingest` at most 1.6 of reading and writing them, and 4.0
with the search for duplicates. Cold start and the loading of the estates are told apart. DuckDB does what it can of
each job beside, on the same tables (`duckdb_peer.py`). `--jobs` measures some alone, for a machine that is not free
for long: a lake that is there is kept. What the Delta tables cost in it, `tables.py` measures.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import time
from collections.abc import Callable, Mapping, Sequence, Set
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent.parent))

from benchmarks.claims import claim, machine
from benchmarks.pipeline import duckdb_peer
from benchmarks.pipeline.traffic import PLACE, Bench, Took, estates, noop, ratio, spread
from pipeline.evaluation.boundaries import boundaries_of
from pipeline.evaluation.evaluator import TimelineEvaluator
from pipeline.evaluation.timeline import Timeline, load_timeline
from pipeline.jobs.traffic_evaluation import EvaluatedTraffic, evaluate
from pipeline.lake.lake import Lake, is_lake
from pipeline.lake.traffic import traffic_input
from pipeline.results.output_folder import write_rows
from pipeline.results.table_folders import TableFolders
from pipeline.schemas import COLUMNS
from pipeline.transforms.gold_tables import routed

KEYS = ("from_instance", "from_database", "to_service", "to_broker_instance")
JOBS = ("ingest", "replay", "route")
OWN = "result-measured"
OUT, COPY = PLACE / "out", str(PLACE / "copy")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--runs", type=int, default=5, help="turns, after two to warm up")
    parser.add_argument("--intervals", type=int, nargs="+", default=[1, 100])
    parser.add_argument("--jobs", nargs="+", choices=JOBS, default=JOBS)
    options = parser.parse_args()
    print(machine())
    bench = Bench()
    traffic = bench.traffic("even", options.rows)
    lake, jobs = str(PLACE / "lake-True"), set(options.jobs)
    kept = _ingests(bench, traffic, options.runs) if "ingest" in jobs else []
    if "ingest" not in jobs and not _has_rows(lake, options.rows):
        bench.ingest(traffic, keep=True)
    for intervals in options.intervals if jobs - {"ingest"} else ():
        kept += _asks(bench, lake, intervals, options.runs, jobs)
    return not all(kept)


def _has_rows(lake: str, rows: int) -> bool:
    return is_lake(lake) and sum(Lake(Path(lake)).rows_by_folder().values()) == rows


def _ingests(bench: Bench, traffic: str, runs: int) -> list[bool]:
    plain, peer = bench.spark.read.parquet(traffic), "Spark: read and write files"
    works = {
        peer: lambda: plain.write.mode("overwrite").parquet(COPY),
        "ingest as it comes": lambda: bench.ingest(traffic, keep=True),
        "ingest, each row once": lambda: bench.ingest(traffic),
        "DuckDB: rows by day, as they come": lambda: duckdb_peer.ingest(traffic, keep=True),
        "DuckDB: rows by day, each once": lambda: duckdb_peer.ingest(traffic, keep=False),
    }
    took = bench.in_turns(runs, works)
    bounds = {"ingest as it comes": 1.6, "ingest, each row once": 4.0}
    return [_claim(what, peer, took, bound) for what, bound in bounds.items()]


def _claim(what: str, peer: str, took: Mapping[str, Sequence[Took]], bound: float) -> bool:
    figure, turns = ratio(took[what], took[peer]), spread(took[what], took[peer])
    return claim(f"{what} / {peer}", figure, bound, "times", turns)


def _asks(bench: Bench, lake: str, intervals: int, runs: int, jobs: Set[str]) -> list[bool]:
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
    work = TableFolders(OUT, OWN).work
    assert isinstance(work, Path)
    replays: Mapping[str, Callable[[], object]] = {
        keys: lambda: noop(silver.groupBy(*KEYS).count()),
        "Spark: count by class": lambda: noop(silver.groupBy("class").count()),
        replay: lambda: _evaluated(bench, lake, before, after),
        "DuckDB: count and sums by four key columns": lambda: duckdb_peer.count_by(lake, *KEYS),
        "DuckDB: count and sums by class": lambda: duckdb_peer.count_by(lake, "class"),
    }
    routes: Mapping[str, Callable[[], object]] = {
        copied: lambda: same.write.mode("overwrite").parquet(COPY),
        routing: route,
        "DuckDB: rows joined with their answers": lambda: duckdb_peer.route(lake, work / "answers", work / "sets"),
    }
    kept: list[bool] = []
    if "replay" in jobs:
        kept.append(_claim(replay, keys, bench.in_turns(runs, replays), 0.5))
    if "route" in jobs:
        kept.append(_claim(routing, copied, bench.in_turns(runs, routes), 1.8))
    return kept


def _evaluated(bench: Bench, lake: str, *timelines: Timeline) -> EvaluatedTraffic:
    shutil.rmtree(OUT, ignore_errors=True)
    traffic = traffic_input(lake)
    boundaries = boundaries_of(timelines, traffic.span())
    askers = [TimelineEvaluator(timeline) for timeline in timelines]
    folders = TableFolders(OUT, OWN)
    rows = traffic.open(bench.spark, [], folders.work)
    return evaluate(bench.spark, rows, (askers[0], askers[-1]), boundaries, folders)


if __name__ == "__main__":
    assert set(KEYS) < set(COLUMNS)
    sys.exit(main())

"""Replay, route and ingest beside what Spark itself needs on the same files, in one warm session on two cores.

    .venv/bin/python benchmarks/pipeline/speed.py [--rows 10000000] [--runs 2] [--intervals 1 100]

The claims, as ratios of processor seconds. On a lake: `replay` (the summary of the differential, weighted) at most 0.5
of Spark's own count by the four key columns, `route` with a row for each row at most 1.8 of reading and writing the
same columns. From files: `ingest` at most 1.6 of reading and writing them, and 4.0 with the search for duplicates.
Cold start and the loading of the estates are told apart. DuckDB answers beside, where it can be imported
(`pip install duckdb --target DIR`, then PYTHONPATH=DIR).
"""

from __future__ import annotations

import argparse
import importlib.util
import shutil
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent.parent))

from benchmarks.claims import claim, machine
from benchmarks.pipeline.traffic import PLACE, Bench, Took, estates, noop
from pipeline.engine import Asker
from pipeline.epochs import boundaries_of
from pipeline.estates import Timeline, load_timeline
from pipeline.jobs.asking import Asked, ask
from pipeline.output import write_rows
from pipeline.schemas import COLUMNS
from pipeline.traffic import traffic_of
from pipeline.transforms.flowing import routed

KEYS = ("from_instance", "from_database", "to_service", "to_broker_instance")
OUT, COPY = PLACE / "out", str(PLACE / "copy")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--runs", type=int, default=2)
    parser.add_argument("--intervals", type=int, nargs="+", default=[1, 100])
    options = parser.parse_args()
    print(machine())
    bench = Bench()
    traffic = bench.traffic("even", options.rows)
    kept = [*_ingests(bench, traffic, options.runs)]
    lake = str(PLACE / "lake-True")
    silver = bench.spark.read.parquet(f"{lake}/silver")
    keys = bench.best("Spark: count by four key columns", options.runs, lambda: noop(silver.groupBy(*KEYS).count()))
    bench.best("Spark: count by class", options.runs, lambda: noop(silver.groupBy("class").count()))
    same = silver.select(*COLUMNS)
    copied = bench.best(
        "Spark: read and write silver", options.runs, lambda: same.write.mode("overwrite").parquet(COPY)
    )
    _duckdb(lake)
    for intervals in options.intervals:
        kept += _asks(bench, lake, intervals, options.runs, keys, copied)
    return not all(kept)


def _ingests(bench: Bench, traffic: str, runs: int) -> list[bool]:
    plain = bench.spark.read.parquet(traffic)
    copied = bench.best("Spark: read and write files", runs, lambda: plain.write.mode("overwrite").parquet(COPY))
    found = []
    for keep, what, bound in ((True, "ingest as it comes", 1.6), (False, "ingest, each row once", 4.0)):
        took = bench.best(what, runs, lambda keep=keep: bench.ingest(traffic, keep=keep))
        found.append(claim(f"{what} / read and write", took.processor / copied.processor, bound, "times"))
    return found


def _asks(bench: Bench, lake: str, intervals: int, runs: int, keys: Took, copied: Took) -> list[bool]:
    began = time.monotonic()
    before, after = (load_timeline(name) for name in estates(intervals))
    print(f"loading two estates of 50,000 routes, {intervals} intervals: {time.monotonic() - began:.1f} s")
    asked = _asked(bench, lake, before, after)
    print(f"{asked.questions:,} questions")

    def route() -> None:
        found = _asked(bench, lake, before)
        write_rows(routed(found.rows, found.answers, found.sets), OUT / "rows")

    replay = bench.best(f"replay, {intervals} intervals", runs, lambda: _asked(bench, lake, before, after))
    routing = bench.best(f"route, {intervals} intervals", runs, route)
    return [
        claim(f"replay, {intervals} / count by keys", replay.processor / keys.processor, 0.5, "times"),
        claim(f"route, {intervals} / read and write", routing.processor / copied.processor, 1.8, "times"),
    ]


def _asked(bench: Bench, lake: str, *timelines: Timeline) -> Asked:
    shutil.rmtree(OUT, ignore_errors=True)
    traffic = traffic_of(lake)
    boundaries = boundaries_of(timelines, traffic.span())
    askers = [Asker(timeline) for timeline in timelines]
    return ask(bench.spark, traffic.open(bench.spark, []), (askers[0], askers[-1]), boundaries, OUT)


def _duckdb(lake: str) -> None:
    """One machine's honest alternative."""
    if importlib.util.find_spec("duckdb") is None:
        print("  DuckDB is not installed here")
        return
    import duckdb  # noqa: PLC0415 - only where it is installed

    silver = f"'{lake}/silver/*/*/*.parquet'"
    for columns in (", ".join(KEYS), "class"):
        groups = f"SELECT {columns}, count(*), sum(messages), sum(bytes) FROM {silver} GROUP BY ALL"
        began, busy = time.monotonic(), time.process_time()
        duckdb.sql(f"SELECT count(*) FROM ({groups})").fetchall()
        took = Took(time.monotonic() - began, time.process_time() - busy)
        print(f"  {f'DuckDB: count and sums by {columns}':<52}{took}")


if __name__ == "__main__":
    assert set(KEYS) < set(COLUMNS)
    sys.exit(main())

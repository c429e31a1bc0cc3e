"""Replay, route and ingest beside what Spark itself needs on the same files, in one warm session on two cores.

    .venv/bin/python benchmarks/pipeline/speed.py [--rows 10000000] [--runs 3] [--intervals 100]

The claims, as ratios of processor seconds: `replay` at most 0.5 of Spark's own count by the four key columns; `route`
with a row for each row at most 1.8 of reading and writing the same columns; `ingest` at most 1.6 of that, and 4.0 with
the search for duplicates. Loading the estates is told apart. DuckDB answers the same count beside, where installed.
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
from benchmarks.pipeline.traffic import PLACE, Bench, estates, noop
from pipeline.engine import Asker
from pipeline.epochs import epochs_of
from pipeline.estates import load_timeline
from pipeline.files import files_below
from pipeline.jobs.asking import ask
from pipeline.jobs.ingest import Options, ingest_files
from pipeline.lake import lake_for_writing
from pipeline.schemas import COLUMNS
from pipeline.traffic import open_traffic, traffic_files
from pipeline.transforms.flowing import routed

KEYS = ("from_instance", "from_database", "to_service", "to_broker_instance")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--intervals", type=int, default=100)
    options = parser.parse_args()
    print(machine())
    bench = Bench()
    traffic = bench.traffic("even", options.rows)
    lake = _lake(bench, traffic)
    began = time.monotonic()
    before, after = (load_timeline(name) for name in estates(options.intervals))
    epochs = epochs_of([before, after])
    estate = before.versions[0].estate, after.versions[0].estate
    print(f"loading two estates of 50,000 routes: {time.monotonic() - began:.1f} s; {len(estate)} held")

    silver = bench.spark.read.parquet(f"{lake}/silver")
    plain = bench.spark.read.parquet(traffic)
    out = PLACE / "out"

    def asked() -> object:
        shutil.rmtree(out, ignore_errors=True)
        askers = Asker(before), Asker(after)
        return ask(bench.spark, open_traffic(bench.spark, lake, []), askers, epochs, out)

    def route() -> None:
        shutil.rmtree(out, ignore_errors=True)
        asker = Asker(before)
        found = ask(
            bench.spark, open_traffic(bench.spark, traffic, traffic_files(traffic)), (asker, asker), epochs, out
        )
        routed(found.rows, found.answers, found.sets).write.parquet(str(out / "rows"))

    keys = bench.best("Spark: count by four key columns", options.runs, lambda: noop(silver.groupBy(*KEYS).count()))
    number = bench.best("Spark: count by class", options.runs, lambda: noop(silver.groupBy("class").count()))
    copied = bench.best(
        "Spark: read and write", options.runs, lambda: plain.write.mode("overwrite").parquet(str(PLACE / "copy"))
    )
    replay = bench.best("replay: the summary of the differential", options.runs, asked)
    routing = bench.best("route: a row for each row", options.runs, route)
    kept = bench.best("ingest, without search for duplicates", 1, lambda: _lake(bench, traffic, keep=True))
    once = bench.best("ingest", 1, lambda: _lake(bench, traffic, keep=False))
    _duckdb(lake)
    print(f"the count by class is {number.processor / keys.processor:.2f} of the one by keys")
    return not all(
        [
            claim("replay / count by keys", replay.processor / keys.processor, 0.5, "times"),
            claim("route / read and write", routing.processor / copied.processor, 1.8, "times"),
            claim("ingest as it comes / read and write", kept.processor / copied.processor, 1.6, "times"),
            claim("ingest / read and write", once.processor / copied.processor, 4.0, "times"),
        ]
    )


def _lake(bench: Bench, traffic: str, *, keep: bool = True) -> str:
    """A lake with this traffic."""
    name = PLACE / f"lake-{keep}"
    shutil.rmtree(name, ignore_errors=True)
    options = Options(traffic, str(name), keep)
    with lake_for_writing(str(name)) as lake:
        ingest_files(bench.spark, lake, files_below(traffic), options)
    return str(name)


def _duckdb(lake: str) -> None:
    """One machine's honest alternative."""
    if importlib.util.find_spec("duckdb") is None:
        print("  DuckDB is not installed here")
        return
    import duckdb  # noqa: PLC0415 - only where it is installed

    query = f"SELECT count(*) FROM (SELECT {', '.join(KEYS)}, count(*) FROM '{lake}/silver/*/*/*.parquet' GROUP BY ALL)"
    began = time.monotonic()
    duckdb.sql(query).fetchall()
    print(f"  DuckDB: count by four key columns: {time.monotonic() - began:.2f} s")


if __name__ == "__main__":
    assert set(KEYS) < set(COLUMNS)
    sys.exit(main())

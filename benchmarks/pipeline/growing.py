"""Processor time of `telemetry` once 1 % of the files of a large log are new, against a run over all of them.

    .venv/bin/python benchmarks/pipeline/growing.py [--messages 500000] [--days 20] [--runs 1]

The claim: where the last of 100 files is new, the run takes at most 0.5 of what a run over everything takes.
"""

from __future__ import annotations

import argparse
import os
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent.parent))

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from benchmarks.claims import claim, machine
from benchmarks.pipeline.telemetry import events_of, messages_of
from benchmarks.pipeline.traffic import PLACE, START, Bench
from pipeline.jobs.telemetry import TelemetryOptions, telemetry
from pipeline.runtime.session import SparkSettings

FILES, BOUND = 100, 0.5


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--messages", type=int, default=500_000)
    parser.add_argument("--days", type=int, default=20)
    parser.add_argument("--runs", type=int, default=1)
    options = parser.parse_args()
    print(machine())
    bench = Bench("2g")
    log = _log(bench.spark, options.messages, options.days)
    part = PLACE / "log-grown"
    former, out = PLACE / "told-former", PLACE / "told"
    _link_files(log, part, FILES - 1)
    shutil.rmtree(former, ignore_errors=True)
    _telemetry(part, former)
    _link_files(log, part, FILES)
    whole = bench.best("everything", options.runs, _into(part, out, None)).processor
    grown = bench.best("1 % new", options.runs, _into(part, out, former)).processor
    return not claim("a run with 1 % new files / a run over everything", grown / whole, BOUND, "times")


def _into(log: Path, out: Path, former: Path | None) -> Callable[[], None]:
    """Return the work of a run into a folder that has this former result, or none."""

    def work() -> None:
        shutil.rmtree(out, ignore_errors=True)
        if former is not None:
            shutil.copytree(former, out, copy_function=os.link)
        found = _telemetry(log, out)
        assert found == (FILES - 1 if former else 0), found

    return work


def _telemetry(log: Path, out: Path) -> int:
    """Return how many files the run took over."""
    run = telemetry(TelemetryOptions(str(log), str(out)), SparkSettings("local[2]"))
    taken_over: int = run.extra["taken_over"]
    return taken_over


def _link_files(log: Path, folder: Path, count: int) -> None:
    """Fill a folder with the first files of a log; modification times stay."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    for path in sorted(log.glob("*.parquet"))[:count]:
        os.link(path, folder / path.name)


def _log(spark: SparkSession, messages: int, days: int) -> Path:
    """Write a log of some days into files that follow each other in time."""
    folder = PLACE / f"log-{messages}-{days}-days"
    if not folder.exists():
        start = int(START.timestamp() * 1_000_000)
        at = F.timestamp_micros(F.lit(start) + (F.unix_micros("at") - start) * days)
        events = events_of(messages_of(spark, messages, 0)).withColumn("at", at)
        new = PLACE / f".{folder.name}"
        events.repartitionByRange(FILES, "at").sortWithinPartitions("at").write.parquet(str(new))
        new.rename(folder)
    return folder


if __name__ == "__main__":
    sys.exit(main())

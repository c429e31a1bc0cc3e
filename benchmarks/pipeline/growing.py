"""Processor time of `telemetry` once files of a large log are new or gone, against a run over all that are there.

    .venv/bin/python benchmarks/pipeline/growing.py [--messages 500000] [--days 20] [--runs 1] [--deleted-days 1]

The claim: where the last of 100 files is new, the run takes at most 0.5 of what a run over everything takes. With
`--deleted-days`: at most 0.6 where the files of the first of 20 days are gone, in place of a new file. Their events lie
beside others in the files of the former result, which are written again.
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

FILES, BOUND, BOUND_OF_DELETED = 100, 0.5, 0.6


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--messages", type=int, default=500_000)
    parser.add_argument("--days", type=int, default=20)
    parser.add_argument("--runs", type=int, default=1)
    parser.add_argument("--deleted-days", type=int, default=0)
    options = parser.parse_args()
    print(machine())
    bench = Bench("2g")
    log = _log(bench.spark, options.messages, options.days)
    gone = FILES * options.deleted_days // options.days
    change = f"the files of {options.deleted_days} of {options.days} days gone" if gone else "1 % new files"
    before, now = (slice(FILES), slice(gone, FILES)) if gone else (slice(FILES - 1), slice(FILES))
    part = PLACE / "log-grown"
    former, out = PLACE / "told-former", PLACE / "told"
    _link_files(log, part, before)
    shutil.rmtree(former, ignore_errors=True)
    _telemetry(part, former)
    _link_files(log, part, now)
    taken_over = FILES - gone if gone else FILES - 1
    whole = bench.best("everything", options.runs, _into(part, out, None, 0)).processor
    grown = bench.best(change, options.runs, _into(part, out, former, taken_over)).processor
    return not claim(
        f"a run with {change} / a run over everything", grown / whole, BOUND_OF_DELETED if gone else BOUND, "times"
    )


def _into(log: Path, out: Path, former: Path | None, taken_over: int) -> Callable[[], None]:
    """Return the work of a run into a folder that has this former result, or none; `taken_over`: the number of files
    that it does not read again."""

    def work() -> None:
        shutil.rmtree(out, ignore_errors=True)
        if former is not None:
            shutil.copytree(former, out, copy_function=os.link)
        found = _telemetry(log, out)
        assert found == taken_over, found

    return work


def _telemetry(log: Path, out: Path) -> int:
    """Return how many files the run took over."""
    run = telemetry(TelemetryOptions(str(log), str(out)), SparkSettings("local[2]"))
    taken_over: int = run.extra["taken_over"]
    return taken_over


def _link_files(log: Path, folder: Path, which: slice) -> None:
    """Fill a folder with some files of a log; modification times stay."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    for path in sorted(log.glob("*.parquet"))[which]:
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

"""The price of Delta tables: jobs that commit to them beside the same jobs that write Parquet files and a record alone.

    .venv/bin/python benchmarks/pipeline/tables.py [--rows 2000000] [--runs 5] [--jobs ingest route replay]

The claim: `ingest`, `route` and `replay` each take at most 1.15 of the processor time that they take without tables, by
the middle one of some turns in one warm session. The peer is the job as it was before there were tables: it reads a
lake without a log, whose files it lists, and writes without statistics and commits. Estates are loaded before, so that
they make no ratio smaller.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import cache
from pathlib import Path
from typing import Any
from unittest.mock import patch

sys.path.insert(0, str(Path(__file__).resolve().parent.parent.parent))

from benchmarks.claims import claim, machine
from benchmarks.pipeline.traffic import PLACE, Bench, estates, ratio, spread
from pipeline.evaluation.timeline import load_timeline
from pipeline.jobs.replay import ReplayOptions, replay
from pipeline.jobs.route import RouteOptions, route
from pipeline.lake.commits import COMMITS, FILES
from pipeline.lake.lake import Lake
from pipeline.lake.new_run import NewRun
from pipeline.runtime.session import SparkSettings

BOUND = 1.15
JOBS = ("ingest", "route", "replay")
SETTINGS = SparkSettings("local[2]")
OUT, PLAIN = PLACE / "tables-out", PLACE / "lake-without-log"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=2_000_000)
    parser.add_argument("--runs", type=int, default=5, help="turns, after two to warm up")
    parser.add_argument("--jobs", nargs="+", choices=JOBS, default=JOBS)
    options = parser.parse_args()
    print(machine())
    bench = Bench()
    traffic = bench.traffic("even", options.rows)
    bench.ingest(traffic, keep=True)
    lake = str(PLACE / "lake-True")
    _without_log(Path(lake))
    works = _works(bench, traffic, lake)
    with _loaded_estates():
        kept = [_measured(bench, job, options.runs, *works[job]) for job in options.jobs]
    return not all(kept)


Work = Callable[[], object]


def _works(bench: Bench, traffic: str, lake: str) -> dict[str, tuple[Work, Work]]:
    """Return each job with its tables, and without."""
    before, after = estates(1)

    def routed(traffic: str) -> None:
        shutil.rmtree(OUT, ignore_errors=True)
        route(RouteOptions(before, traffic, str(OUT)), SETTINGS)

    def replayed(traffic: str) -> None:
        shutil.rmtree(OUT, ignore_errors=True)
        replay(ReplayOptions(before, after, traffic, str(OUT)), SETTINGS)

    return {
        # The other lake: the one that the jobs read stays.
        "ingest": (lambda: bench.ingest(traffic), lambda: bench.ingest(traffic)),
        "route": (lambda: routed(lake), lambda: routed(str(PLAIN))),
        "replay": (lambda: replayed(lake), lambda: replayed(str(PLAIN))),
    }


def _measured(bench: Bench, job: str, runs: int, tables: Work, plain: Work) -> bool:
    def without() -> None:
        with _no_tables():
            plain()

    names = f"{job}, Delta tables", f"{job}, Parquet files and a record"
    took = bench.in_turns(runs, dict(zip(names, (tables, without), strict=True)))
    mine, peer = (took[name] for name in names)
    return claim(" / ".join(names), ratio(mine, peer), BOUND, "times", spread(mine, peer))


@contextmanager
def _no_tables() -> Iterator[None]:
    """Leave out statistics and commits: files and records are written as ever."""
    with ExitStack() as left_out:
        for name, instead in (
            ("pipeline.results.new_tables.commit_tables", lambda _place, record: record),
            ("pipeline.results.new_tables.clear_former", lambda _place, _former, _new: None),
            (f"{NewRun.__module__}.NewRun._commit_after", lambda _run, _state: None),
        ):
            left_out.enter_context(patch(name, instead))
        yield


@contextmanager
def _loaded_estates() -> Iterator[None]:
    load: Any = cache(load_timeline)
    with patch("pipeline.jobs.route.load_timeline", load), patch("pipeline.jobs.replay.load_timeline", load):
        yield


def _without_log(lake: Path) -> None:
    """Make a lake as it was before there was a log: the record of a run was its commit."""
    shutil.rmtree(PLAIN, ignore_errors=True)
    ignored = shutil.ignore_patterns("_delta_log", "bronze", "run=*.json")
    shutil.copytree(lake, PLAIN, copy_function=os.link, ignore=ignored)
    (record,) = Lake(lake).commits().values()
    former = {name: value for name, value in record.items() if name != FILES}
    (PLAIN / COMMITS / "run=000001.json").write_text(json.dumps(former), encoding="utf-8")
    assert Lake(PLAIN).rows_by_folder()
    assert Lake(PLAIN).sums()


if __name__ == "__main__":
    sys.exit(main())

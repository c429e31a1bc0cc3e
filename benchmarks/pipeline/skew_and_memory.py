"""One class with nine tenths of the rows, and ten times the rows: what they cost in time and in memory.

    .venv/bin/python benchmarks/pipeline/skew_and_memory.py [--rows 10000000] [--times 10]

The claims: `route` of the skewed traffic costs at most 1.3 times the even one's; a row costs no more, within a fifth,
where there are ten times as many; driver and executors stay under 3 GB together, and at ten times the rows too.
"""

from __future__ import annotations

import argparse
import shutil
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent.parent))

from benchmarks.claims import claim, machine, peak_megabytes
from benchmarks.pipeline.traffic import PLACE, Bench, Took, estates
from pipeline.engine import Asker
from pipeline.epochs import boundaries_of
from pipeline.estates import load_timeline
from pipeline.jobs.asking import ask
from pipeline.traffic import traffic_of
from pipeline.transforms.flowing import routed

LIMIT = 3_000


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--times", type=int, default=10, help="how much more the second memory is measured at")
    parser.add_argument("--runs", type=int, default=2)
    options = parser.parse_args()
    print(machine())
    bench = Bench()
    timeline = load_timeline(estates()[0])

    def route(traffic: str) -> None:
        out = PLACE / "out"
        shutil.rmtree(out, ignore_errors=True)
        asker = Asker(timeline)
        given = traffic_of(traffic)
        source = given.open(bench.spark, given.files())
        found = ask(bench.spark, source, (asker, asker), boundaries_of([timeline], given.span()), out)
        routed(found.rows, found.answers, found.sets).write.parquet(str(out / "rows"))

    def measured(name: str, rows: int, busiest: float = 0.0, *, once: bool = False) -> Took:
        traffic = bench.traffic(name, rows, busiest=busiest)
        runs = 1 if once else options.runs
        return bench.best(f"route: {rows:,} rows, {name}", runs, lambda: route(traffic), is_warm=once)

    even = measured("even", options.rows)
    skewed = measured("skewed", options.rows, 0.9)
    few = _peak(bench)
    more = measured("even", options.rows * options.times, once=True)
    many = _peak(bench)
    a_row = more.processor / options.times / even.processor
    return not all(
        [
            claim("skewed / even", skewed.processor / even.processor, 1.3, "times"),
            claim(f"a row of {options.times} times as many", a_row, 1.2, "times"),
            claim("memory, driver and executors", few, LIMIT, "MB"),
            claim(f"memory at {options.times} times the rows", many, LIMIT, "MB"),
        ]
    )


def _peak(bench: Bench) -> float:
    """The most memory that the JVM and this process ever had."""
    lines = Path(f"/proc/{bench.pid}/status").read_text(encoding="ascii").splitlines()
    return int(next(line.split()[1] for line in lines if line.startswith("VmHWM"))) / 1024 + peak_megabytes()


if __name__ == "__main__":
    sys.exit(main())

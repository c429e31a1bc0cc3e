"""Parts that the benchmarks of the pipeline share: a large estate, traffic on it, and wall and processor seconds."""

from __future__ import annotations

import json
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path
from statistics import median
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent.parent))

from pyspark.sql import DataFrame, SparkSession

from benchmarks.claims import peak_megabytes
from benchmarks.estates import Document, large_estate
from pipeline.evaluation.timeline import load_timeline
from pipeline.inputs.files import files_below
from pipeline.jobs.generate import synthetic_traffic
from pipeline.jobs.ingest import IngestOptions, ingest_files
from pipeline.jobs.sampled_flows import sample_flows
from pipeline.lake.new_run import lake_for_writing
from pipeline.runtime.session import SparkSettings, spark_session
from pipeline.transforms.synthetic_traffic import TrafficModel

WARM_UP = 2
START, DAYS = datetime(2026, 1, 5, tzinfo=UTC), 7
PLACE = Path(tempfile.gettempdir()) / f"brokerui-bench-pipeline-{os.getuid()}"


@dataclass(frozen=True)
class Took:
    """Seconds of the clock, and of the processor in the JVM: the second says more on a machine that others use too."""

    wall: float
    processor: float

    def __str__(self) -> str:
        return f"{self.wall:6.2f} s wall, {self.processor:6.2f} s of processor"


class Bench:
    """A warm session on two cores, with the files and lakes of the measurements."""

    def __init__(self, memory: str = "1g") -> None:
        began = time.monotonic()
        self.spark: SparkSession = spark_session(SparkSettings("local[2]", memory))
        self.spark.range(1_000_000).selectExpr("id % 10 AS k").groupBy("k").count().collect()
        print(f"cold start of session and first query: {time.monotonic() - began:.1f} s, load {load()}")
        self.pid: int = self.spark._jvm.java.lang.ProcessHandle.current().pid()  # type: ignore[union-attr]

    def processor(self) -> float:
        """Seconds that the JVM computed so far, and this process."""
        fields = Path(f"/proc/{self.pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK") + time.process_time()

    def peak_megabytes(self) -> float:
        """The most memory that the JVM and this process ever had."""
        lines = Path(f"/proc/{self.pid}/status").read_text(encoding="ascii").splitlines()
        return int(next(line.split()[1] for line in lines if line.startswith("VmHWM"))) / 1024 + peak_megabytes()

    def in_turns(self, runs: int, works: Mapping[str, Callable[[], Any]]) -> dict[str, list[Took]]:
        """Some runs of each, one after the other, so that all meet the same machine; after two to warm up."""
        took: dict[str, list[Took]] = {what: [] for what in works}
        for turn in range(-WARM_UP, runs):
            for what, work in works.items():
                one = self._once(work)
                if turn >= 0:
                    took[what].append(one)
        for what, all_of_it in took.items():
            print(f"  {what:<44}{_middle(all_of_it)}, load {load()}", flush=True)
        return took

    def best(self, what: str, runs: int, work: Callable[[], Any], *, is_warm: bool = False) -> Took:
        """The least processor time of some runs, after one to warm up."""
        if not is_warm:
            work()
        took = min((self._once(work) for _ in range(runs)), key=_processor)
        print(f"  {what:<44}{took}, load {load()}", flush=True)
        return took

    def _once(self, work: Callable[[], Any]) -> Took:
        wall, processor = time.monotonic(), self.processor()
        work()
        return Took(time.monotonic() - wall, self.processor() - processor)

    def traffic(self, name: str, rows: int, *, busiest: float = 0.0) -> str:
        """Return a folder with this number of rows; made once, and kept for the next benchmark."""
        folder = PLACE / f"{name}-{rows}"
        if not folder.exists():
            estate = load_timeline(estates()[0]).versions[0].estate
            drawn = sample_flows(estate, 5_000, 1)
            how = TrafficModel(
                seed=1,
                rows=rows,
                start=START,
                days=DAYS,
                flows=len(drawn),
                failing=drawn[1].from_instance,
                busiest=busiest,
            )
            synthetic_traffic(self.spark, drawn, how).write.parquet(f"{folder}.new")
            Path(f"{folder}.new").rename(folder)
        return str(folder)

    def ingest(self, traffic: str, *, keep: bool = False) -> None:
        """Ingest the traffic into a new lake; `keep`: without removing rows that came twice."""
        name = PLACE / f"lake-{keep}"
        shutil.rmtree(name, ignore_errors=True)
        with lake_for_writing(str(name)) as lake:
            ingest_files(self.spark, lake, files_below(traffic), IngestOptions(traffic, str(name), keep))


def estates(intervals: int = 100) -> tuple[str, str]:
    """The large estate with routes that expire during the traffic, and the same with every hundredth route away."""
    before, after = PLACE / f"before-{intervals}.json", PLACE / f"after-{intervals}.json"
    if not after.exists():
        PLACE.mkdir(parents=True, exist_ok=True)
        document = large_estate()
        _expire(document, intervals - 1)
        before.write_text(json.dumps(document), encoding="utf-8")
        numbers = count(1)
        for _, routes in _tables(document):
            routes[:] = [route for route in routes if next(numbers) % 100]
        after.write_text(json.dumps(document), encoding="utf-8")
    return str(before), str(after)


def _expire(document: Document, moments: int) -> None:
    named = [route for _, routes in _tables(document) for route in routes if route["lifetime"] is None]
    for number in range(moments):
        moment = START + timedelta(days=DAYS) * (number + 1) / (moments + 1)
        named[number * 37]["lifetime"] = moment.isoformat()


def _tables(document: Document) -> list[tuple[str, list[Document]]]:
    return [(one["name"], one["routes"]) for instance in document["instances"] for one in instance["databases"]]


def ratio(took: Sequence[Took], peer: Sequence[Took]) -> float:
    """The middle one of the turns' ratios of processor time."""
    return median(one.processor / other.processor for one, other in zip(took, peer, strict=True))


def spread(took: Sequence[Took], peer: Sequence[Took]) -> str:
    """The ratios of all turns, as text, and the middle one by the clock."""
    each = ", ".join(f"{one.processor / other.processor:.2f}" for one, other in zip(took, peer, strict=True))
    by_clock = median(one.wall / other.wall for one, other in zip(took, peer, strict=True))
    return f"turns {each}; by the clock {by_clock:.2f}"


def _middle(took: Sequence[Took]) -> Took:
    return sorted(took, key=_processor)[len(took) // 2]


def _processor(took: Took) -> float:
    return took.processor


def noop(table: DataFrame) -> None:
    """Computes every row and column, and writes nothing."""
    table.write.format("noop").mode("overwrite").save()


def load() -> str:
    """How busy the machine is."""
    return f"{os.getloadavg()[0]:.1f}"

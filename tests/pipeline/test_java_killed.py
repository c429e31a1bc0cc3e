"""`kill -9` of Java in a compaction and in a round of telemetry: the former or the new result is there, and the next
run ends well."""

from __future__ import annotations

import random
import shutil
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from pipeline.cli import main
from pipeline.jobs.generate import GenerateOptions, generate
from pipeline.jobs.ingest import IngestOptions, ingest
from pipeline.lake.lake import Lake
from pipeline.results.table_folders import run_of
from pipeline.runtime.session import SparkSettings
from tests.pipeline.estates import TO_PARTS, document, written
from tests.pipeline.processes import java_killed_when
from tests.pipeline.telemetry.changing_log import Json, add, is_what_all_files_say, run
from tests.pipeline.telemetry.event_logs import random_log

ENDED = "error: Spark: ended before the job was done; nothing was published\n"
LOCAL = SparkSettings("local[2]")
RUNS = 4
pytestmark = [
    pytest.mark.usefixtures("spark"),
    pytest.mark.slow,
    pytest.mark.thorough("tests of the store kill the same jobs at each step, and `ingest` is killed with its Java"),
]


@pytest.fixture(scope="module")
def lake(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A lake of some runs. Each wrote files of each day."""
    folder = tmp_path_factory.mktemp("lake")
    estate = written(folder / "estate.json", document(TO_PARTS))
    start = datetime(2026, 1, 5, tzinfo=UTC)
    for seed in range(RUNS):
        out = str(folder / f"traffic-{seed}")
        generate(GenerateOptions(estate=estate, rows=5_000, seed=seed, out=out, start=start), LOCAL)
        ingest(IngestOptions(out, str(folder / "lake")), LOCAL)
    return folder / "lake"


def is_begun(table: Path) -> Callable[[], bool]:
    """Say whether a run that is not there by now has a folder in the table."""
    before = set(names_in(table))
    return lambda: bool(set(names_in(table)) - before)


def names_in(folder: Path) -> list[str]:
    return [path.name for path in folder.iterdir()] if folder.exists() else []


def contents(spark: SparkSession, lake: Path) -> tuple[int, int]:
    """The number of rows, and the sum of their hashes."""
    rows = Lake(lake).opened().silver(spark)
    found = rows.selectExpr("count(*)", "sum(cast(xxhash64(struct(*)) AS decimal(38, 0)))").first()
    assert found is not None
    return int(found[0]), int(found[1])


def files(lake: Path) -> int:
    return len(Lake(lake).opened().files("silver"))


def test_a_compaction(lake: Path, spark: SparkSession, tmp_path: Path) -> None:
    killed = shutil.copytree(lake, tmp_path / "lake")
    before = contents(spark, killed), files(killed)
    compact = ["lake", "compact", str(killed)]
    assert java_killed_when(is_begun(killed / "silver"), compact) == (1, ENDED)
    assert (contents(spark, killed), files(killed)) == before
    assert main([*compact, "--master", "local[2]"]) == 0
    assert contents(spark, killed) == before[0]
    assert files(killed) < before[1]
    assert len(names_in(killed / "silver")) == RUNS + 2, "a folder of each run, of the compaction, and the log"


def log_files() -> list[list[Json]]:
    rows = random_log(random.Random(11), 600)
    return [rows[begin : begin + 100] for begin in range(0, len(rows), 100)]


@pytest.mark.parametrize("table", ["_parts/events", "latencies", "_parts/uses"])
def test_a_round_of_telemetry(table: str, tmp_path: Path) -> None:
    log, out = tmp_path / "log", tmp_path / "out"
    former, new = log_files()[:5], log_files()[1:]
    for rows in former:
        add(log, rows)
    telemetry = ["telemetry", "--events", str(log), "--out", str(out)]
    run(log, is_url=False)
    (log / "events-0.parquet").unlink()
    add(log, new[-1])
    (log / "bad.jsonl").write_text("{\n")
    status, output = java_killed_when(is_begun(out / table), telemetry)
    assert (status, output) in ((1, ENDED), (0, ""))
    assert is_what_all_files_say(log, new if status == 0 else former)
    assert main([*telemetry, "--master", "local[2]"]) == 0
    assert is_what_all_files_say(log, new)
    runs = {found for folder in out.rglob("*") if (found := run_of(folder.name))}
    assert len(runs) == (3 if status == 0 else 2), "of the run that was killed nothing stays, unless it counted"

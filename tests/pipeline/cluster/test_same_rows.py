"""The rows of one machine, of a cluster, and of a store behind that cluster are the same, after a driver and a worker
were killed while rows were written."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

import pytest
from pyspark.sql import SparkSession

from pipeline.cli import main
from pipeline.jobs.generate import GenerateOptions, generate
from pipeline.runtime.session import LOCAL, SparkSettings
from tests.pipeline.cluster.jobs import Ended, end_of, started, tables
from tests.pipeline.cluster.late_store import LateStore, compiled
from tests.pipeline.cluster.machines import Cluster
from tests.pipeline.estates import TO_PARTS, document, written
from tests.pipeline.processes import children, rows_at_work

ROWS = 30_000
JOBS = ("ingest", "route", "replay")
PATIENCE_S = 300
"""Until a job counts as hanging that writes no rows."""
LOST = "Lost executor"
RUN = re.compile(r"(?:run=new|result)-[^/]+")
"""The folder of a run."""
pytestmark = [
    pytest.mark.usefixtures("spark"),
    pytest.mark.thorough("jobs are killed on one machine too; five Javas for a cluster"),
    pytest.mark.slow,
]


class Given(NamedTuple):
    """What the jobs read, and what each gives on one machine where nobody disturbs it."""

    store: LateStore
    """It has all of that, too."""
    estate: Path
    proposed: Path
    traffic: Path

    @property
    def expected(self) -> Path:
        return self.store.root / "expected"

    def job(self, name: str, out: Path, named: Callable[[Path], str]) -> list[str]:
        """Return the words of a job. Only paths are listed: the store never shows what somebody else wrote."""
        lake = named(self.expected / "ingest")
        arguments = {
            "ingest": ["--in", str(self.traffic)],
            "route": ["--estate", named(self.proposed), "--traffic", lake],
            "replay": [
                *("--baseline", named(self.estate), "--proposed", named(self.proposed)),
                *("--rows", "--traffic", lake),
            ],
        }[name]
        return [name, *arguments, "--out", named(out)]


@pytest.fixture(scope="module")
def given(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Given:
    """Two estates, enough traffic that writing it takes a while, and the results of one machine."""
    root = tmp_path_factory.mktemp("store")
    found = Given(
        LateStore(compiled(spark, tmp_path_factory.mktemp("jar") / "late.jar"), root),
        Path(written(root / "estate.json", document())),
        Path(written(root / "proposed.json", document(TO_PARTS))),
        root / "traffic",
    )
    start = datetime(2026, 1, 5, tzinfo=UTC)
    wanted = GenerateOptions(estate=str(found.proposed), rows=ROWS, seed=1, out=str(found.traffic), start=start)
    generate(wanted, SparkSettings(LOCAL))
    for name in JOBS:
        assert main(found.job(name, found.expected / name, str)) == 0
    return found


@pytest.mark.parametrize("is_in_store", [False, True], ids=["folder", "store"])
@pytest.mark.parametrize("name", JOBS)
def test_the_rows_are_those_of_one_machine_after_a_driver_and_a_worker_were_killed(
    name: str, is_in_store: bool, given: Given, cluster: Cluster, tmp_path: Path
) -> None:
    at = given.store.root if is_in_store else tmp_path
    out = at / "killed" / name / "out"
    named: Callable[[Path], str] = given.store.url if is_in_store else str
    words = [*given.job(name, out, named), *cluster.arguments(given.store.settings() if is_in_store else {})]

    killed = driver_killed(words, at, tmp_path)
    assert killed.status == -signal.SIGKILL
    assert not (out / "_run.json").exists()
    cluster.be_whole()

    found = worker_killed(words, at, tmp_path, cluster)
    assert (found.status, LOST in found.err) == (0, True), found.err
    same_as(out, given.expected / name)


def driver_killed(words: list[str], at: Path, folder: Path) -> Ended:
    """Kill the job and its Java while rows are written."""
    with started(words, folder / "driver") as process:
        until_it_writes(process, at)
        for pid in (*children(process.pid), process.pid):
            os.kill(pid, signal.SIGKILL)
        return end_of(process)


def worker_killed(words: list[str], at: Path, folder: Path, cluster: Cluster) -> Ended:
    """Kill a worker and its executor while rows are written."""
    with started(words, folder / "driver") as process:
        until_it_writes(process, at)
        cluster.workers[0].kill()
        return end_of(process)


def until_it_writes(process: subprocess.Popen[str], at: Path) -> None:
    """Wait until a job writes rows, into the folder of a run that was not there before: executors whose driver was
    killed go on for a moment."""
    before, until = runs_in(at), time.monotonic() + PATIENCE_S
    while not {run for file in rows_at_work(at) for run in RUN.findall(file)} - before:
        assert process.poll() is None, end_of(process)
        if time.monotonic() > until:
            process.kill()
            pytest.fail(f"it writes no rows: {end_of(process)}")
        time.sleep(0.01)  # between two looks at the folder


def runs_in(at: Path) -> set[str]:
    """The names of the runs that have a folder."""
    return {name for _, folders, _ in os.walk(at) for name in folders if RUN.fullmatch(name)}


def same_as(out: Path, expected: Path) -> None:
    """The same rows in each table, and nothing beside them but what a run of another day removes: the folders of the
    run that was killed."""
    beside = {path.name for path in out.iterdir() if not RUN.fullmatch(path.name)}
    found = tables(out)
    assert sum(len(rows) for rows in found.values()) >= ROWS
    assert found == tables(expected)
    assert beside - {"_work"} == {path.name for path in expected.iterdir() if not RUN.fullmatch(path.name)}
    assert [path.name for path in out.parent.iterdir()] == ["out"]

"""A worker or the driver killed while rows are written: the same rows, each once, and nothing half-written counts."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from datetime import UTC, datetime
from pathlib import Path

import pytest

from pipeline.cli import main
from pipeline.jobs.generate import GenerateOptions, generate
from pipeline.runtime.session import SparkSettings
from tests.pipeline.cluster.jobs import PATIENCE_S, Ended, end_of, ended, names_beside_rows, started, tables
from tests.pipeline.cluster.machines import Cluster
from tests.pipeline.estates import TO_PARTS, document, written
from tests.pipeline.processes import children, is_writing_rows

ROWS = 60_000
pytestmark = [
    pytest.mark.usefixtures("spark"),
    pytest.mark.thorough("jobs are killed on one machine too; five Javas for a cluster"),
    pytest.mark.slow,
]


@pytest.fixture(scope="module")
def given(spark: object, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """An estate and enough traffic that writing it takes a while."""
    folder = tmp_path_factory.mktemp("given")
    estate = written(folder / "estate.json", document(TO_PARTS))
    start = datetime(2026, 1, 5, tzinfo=UTC)
    traffic = folder / "traffic"
    wanted = GenerateOptions(estate=estate, rows=ROWS, seed=1, out=str(traffic), start=start)
    generate(wanted, SparkSettings("local[2]"))
    return Path(estate), traffic


def job(name: str, given: tuple[Path, Path], out: Path) -> list[str]:
    estate, traffic = map(str, given)
    arguments = {
        "ingest": ["--in", traffic],
        "route": ["--estate", estate, "--traffic", traffic],
        "replay": ["--baseline", estate, "--proposed", estate, "--rows", "--traffic", traffic],
    }[name]
    return [name, *arguments, "--out", str(out)]


def until_it_writes(process: subprocess.Popen[str], folder: Path) -> None:
    """Wait until a job writes rows below the folder."""
    until = time.monotonic() + PATIENCE_S
    while not is_writing_rows(folder):
        assert process.poll() is None, end_of(process)
        assert time.monotonic() < until
        time.sleep(0.01)  # between two looks at the folder


def undisturbed(name: str, given: tuple[Path, Path], folder: Path) -> Path:
    """Return what the job gives on one machine."""
    out = folder / "undisturbed" / "out"
    assert main(job(name, given, out)) == 0
    return out


@pytest.mark.parametrize("name", ["ingest", "route", "replay"])
def test_a_worker_that_is_killed_costs_no_row(
    name: str, given: tuple[Path, Path], cluster: Cluster, tmp_path: Path
) -> None:
    out = tmp_path / "killed" / "out"
    with started([*job(name, given, out), *cluster.arguments()], tmp_path / "driver") as process:
        until_it_writes(process, out.parent)
        cluster.workers[0].kill()
        found = end_of(process)
    assert found.status == 0, found.err
    assert "Lost executor" in found.err, "the job had ended before"
    same_as(out, undisturbed(name, given, tmp_path))


@pytest.mark.parametrize("name", ["ingest", "route", "replay"])
def test_after_a_driver_that_was_killed_the_next_run_gives_the_same(
    name: str, given: tuple[Path, Path], cluster: Cluster, tmp_path: Path
) -> None:
    out, words = tmp_path / "killed" / "out", [*job(name, given, tmp_path / "killed" / "out"), *cluster.arguments()]
    with started(words, tmp_path / "driver") as process:
        until_it_writes(process, out.parent)
        for pid in (*children(process.pid), process.pid):
            os.kill(pid, signal.SIGKILL)
        assert end_of(process).status == -signal.SIGKILL
    assert not (out / "_run.json").exists()
    again = ended(words, tmp_path / "driver")
    assert again == Ended(0, again.out, "")
    same_as(out, undisturbed(name, given, tmp_path))


def same_as(out: Path, undisturbed: Path) -> None:
    """The same rows in each table, and nothing beside them."""
    assert sum(len(rows) for rows in tables(out).values()) >= ROWS
    assert tables(out) == tables(undisturbed)
    assert names_beside_rows(out) == names_beside_rows(undisturbed)
    assert [path.name for path in out.parent.iterdir()] == ["out"]

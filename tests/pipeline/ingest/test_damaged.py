"""Parquet files whose footer is whole and whose pages are not: that shows only while they are read."""

from __future__ import annotations

import json
import secrets
import shutil
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from pipeline.cli import main
from pipeline.jobs.ingest import IngestOptions, ingest
from pipeline.lake.lake import Lake
from pipeline.runtime.session import SparkSettings
from tests.brokerui.cli.command_line import start
from tests.pipeline.estates import TO_PARTS, document, row, written

pytestmark = pytest.mark.usefixtures("spark")


@pytest.fixture(scope="module")
def traffic(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A good file, one that is damaged, and one in which either of two columns could be meant."""
    folder = tmp_path_factory.mktemp("traffic") / "in"
    written(folder / "good.jsonl", [row(1)])
    damaged = folder / "bad one.of two.parquet"
    pq.write_table(pa.Table.from_pylist([row(n, from_service=f"Service {n * n}") for n in range(2_000)]), damaged)
    content = bytearray(damaged.read_bytes())
    content[4:2_000] = bytes(1_996)
    damaged.write_bytes(content)
    twice = pa.Table.from_pylist([row(2)]).append_column("to_service", pa.array(["Other"]))
    pq.write_table(twice, folder / "twice.parquet")
    return folder


def left_out(traffic: Path) -> set[tuple[str, None, str]]:
    """The files that a job does without, each with the reason."""
    reasons = {"bad one.of two.parquet": "unreadable", "twice.parquet": "repeated_column"}
    return {(str(traffic / name), None, reason) for name, reason in reasons.items()}


def quarantined(folder: str | Path) -> set[tuple[str, int | None, str]]:
    return {(one["file"], one["position"], one["reason"]) for one in pq.read_table(folder).to_pylist()}


@pytest.fixture(scope="module")
def lake(spark: object, traffic: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What an ingest makes of them that looks at the first rows of each file."""
    folder = tmp_path_factory.mktemp("lake") / "lake"
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("pipeline.lake.classes.SAMPLED_FILE_ROWS", 1)
        taken_in(traffic, folder)
    return folder


def taken_in(traffic: Path, lake: Path) -> None:
    run = ingest(IngestOptions(str(traffic), str(lake)), SparkSettings("local[2]"))
    assert run.counts == {"in": 3, "out": 1, "quarantined": 2}


def test_ingest_goes_on_without_the_files(traffic: Path, lake: Path) -> None:
    (folder,) = Lake(lake).folders("_quarantine")
    assert quarantined(folder) == left_out(traffic)


@pytest.mark.thorough("the damaged file is then read once less")
def test_so_does_one_that_looks_at_no_first_rows(traffic: Path, tmp_path: Path) -> None:
    taken_in(traffic, tmp_path / "lake")
    (folder,) = Lake(tmp_path / "lake").folders("_quarantine")
    assert quarantined(folder) == left_out(traffic)


@pytest.mark.thorough("a setting of Spark that stands in one place")
@pytest.mark.slow
def test_a_column_larger_than_what_java_has_beside_its_heap_is_read(tmp_path: Path) -> None:
    """By a job in a process of its own, which says only its counts."""
    folder, room = tmp_path / "in", "spark.driver.extraJavaOptions=-XX:MaxDirectMemorySize=48m"
    folder.mkdir()
    rows = [row(n, from_service=secrets.token_hex(100_000)) for n in range(300)]
    pq.write_table(pa.Table.from_pylist(rows), folder / "large.parquet", compression="none")
    result = start("pipeline", "ingest", "--in", folder, "--out", tmp_path / "lake", "--conf", room)
    assert (result.returncode, result.stderr) == (0, b"")
    assert result.stdout.split()[:6] == [b"in", b"300", b"out", b"0", b"quarantined", b"300"]


def test_route_goes_on_without_the_files(traffic: Path, tmp_path: Path) -> None:
    estate, out = written(tmp_path / "estate.json", document(TO_PARTS)), tmp_path / "out"
    assert main(["route", "--estate", estate, "--traffic", str(traffic), "--out", str(out)]) == 0
    assert [one["conversation_id"] for one in pq.read_table(out).to_pylist()] == ["c1"]
    assert quarantined(out / "_quarantine") == left_out(traffic)
    tables = json.loads((out / "_run.json").read_text())["tables"]
    assert {name: table["rows"] for name, table in tables.items()} == {"rows": 1, "outcomes": 1, "flow_matrix": 1}


def test_a_lake_that_is_damaged_is_one_error(lake: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A damaged file of clean rows is not skipped."""
    shutil.copytree(lake, tmp_path / "lake")
    (folder,) = Lake(tmp_path / "lake").folders("silver")
    (silver,) = Path(folder).rglob("*.parquet")
    content = bytearray(silver.read_bytes())
    content[4:200] = bytes(196)
    silver.write_bytes(content)
    estate = written(tmp_path / "estate.json", document(TO_PARTS))
    status = main(["route", "--estate", estate, "--traffic", str(tmp_path / "lake"), "--out", str(tmp_path / "out")])
    out, err = capsys.readouterr()
    assert (status, out) == (4, "")
    assert err.endswith(f"error: {silver}: Parquet: is damaged: it cannot be read to its end\n")
    assert not (tmp_path / "out").exists()

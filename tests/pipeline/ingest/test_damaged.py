"""Parquet files whose footer is whole and whose pages are not: that shows only while they are read."""

from __future__ import annotations

import json
import secrets
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


@pytest.fixture
def traffic(tmp_path: Path) -> Path:
    folder = tmp_path / "in"
    written(folder / "good.jsonl", [row(1)])
    damaged = folder / "bad one.of two.parquet"
    pq.write_table(pa.Table.from_pylist([row(n, from_service=f"Service {n * n}") for n in range(2_000)]), damaged)
    content = bytearray(damaged.read_bytes())
    content[4:2_000] = bytes(1_996)
    damaged.write_bytes(content)
    return folder


@pytest.mark.parametrize(
    "many", [pytest.param(1_000_000, marks=pytest.mark.thorough("the file is then read once less")), 1]
)
def test_ingest_goes_on_without_the_file(
    traffic: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, many: int
) -> None:
    monkeypatch.setattr("pipeline.lake.classes.SAMPLED_FILE_ROWS", many)
    assert left_out(traffic, tmp_path / "lake") == (str(traffic / "bad one.of two.parquet"), "unreadable")


def test_of_two_columns_with_one_name_none_is_meant(tmp_path: Path) -> None:
    folder = tmp_path / "in"
    written(folder / "good.jsonl", [row(1)])
    table = pa.Table.from_pylist([row(2)])
    twice = table.append_column("to_service", pa.array(["Other"]))
    pq.write_table(twice, folder / "twice.parquet")
    assert left_out(folder, tmp_path / "lake") == (str(folder / "twice.parquet"), "repeated_column")


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


def left_out(traffic: Path, lake: Path) -> tuple[str, str]:
    """The one file of two that an ingest does without, and why."""
    run = ingest(IngestOptions(str(traffic), str(lake)), SparkSettings("local[2]"))
    assert run.counts == {"in": 2, "out": 1, "quarantined": 1}
    (folder,) = Lake(lake).folders("_quarantine")
    (one,) = pq.read_table(folder).to_pylist()
    return one["file"], one["reason"]


def test_route_goes_on_without_the_file(traffic: Path, tmp_path: Path) -> None:
    estate, out = written(tmp_path / "estate.json", document(TO_PARTS)), tmp_path / "out"
    assert main(["route", "--estate", estate, "--traffic", str(traffic), "--out", str(out)]) == 0
    assert [one["conversation_id"] for one in pq.read_table(out).to_pylist()] == ["c1"]
    (one,) = pq.read_table(out / "_quarantine").to_pylist()
    assert (one["file"], one["position"]) == (str(traffic / "bad one.of two.parquet"), None)
    tables = json.loads((out / "_run.json").read_text())["tables"]
    assert {name: table["rows"] for name, table in tables.items()} == {"rows": 1, "outcomes": 1, "flow_matrix": 1}


def test_a_lake_that_is_damaged_is_one_error(traffic: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A damaged file of clean rows is not skipped."""
    ingest(IngestOptions(str(traffic), str(tmp_path / "lake")), SparkSettings("local[2]"))
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

"""Parquet files whose footer is whole and whose pages are not: that shows only while they are read."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from pipeline.cli import main
from pipeline.jobs.ingest import Options, ingest
from pipeline.lake import Lake
from pipeline.session import SparkSettings
from tests.pipeline.estates import TO_PARTS, document, row, written

pytestmark = pytest.mark.usefixtures("spark")


@pytest.fixture
def traffic(tmp_path: Path) -> Path:
    folder = tmp_path / "in"
    written(folder / "good.jsonl", [row(1)])
    damaged = folder / "bad one.parquet"
    pq.write_table(pa.Table.from_pylist([row(n, from_service=f"Service {n * n}") for n in range(2_000)]), damaged)
    content = bytearray(damaged.read_bytes())
    content[4:2_000] = bytes(1_996)
    damaged.write_bytes(content)
    return folder


def test_ingest_goes_on_without_the_file(traffic: Path, tmp_path: Path) -> None:
    run = ingest(Options(str(traffic), str(tmp_path / "lake")), SparkSettings("local[2]"))
    assert run.counts == {"in": 2, "out": 1, "quarantined": 1}
    (folder,) = Lake(tmp_path / "lake").folders("_quarantine")
    (one,) = pq.read_table(folder).to_pylist()
    assert (one["file"], one["reason"]) == (str(traffic / "bad one.parquet"), "unreadable")


def test_route_says_which_file_it_was(traffic: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    estate = written(tmp_path / "estate.json", document(TO_PARTS))
    status = main(["route", "--estate", estate, "--traffic", str(traffic), "--out", str(tmp_path / "out")])
    out, err = capsys.readouterr()
    assert (status, out) == (4, "")
    assert err.endswith(f"error: {traffic / 'bad one.parquet'}: Parquet: is damaged: it cannot be read to its end\n")
    assert not (tmp_path / "out").exists()

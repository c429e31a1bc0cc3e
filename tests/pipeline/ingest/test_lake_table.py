"""The clean rows of a lake as a Delta table: other readers, former versions, and rows that another program wrote."""

from __future__ import annotations

import json
import shutil
import time
from pathlib import Path
from typing import Any

import duckdb
import pyarrow.parquet as pq
import pytest
from deltalake import DeltaTable
from pyspark.sql import SparkSession

from pipeline.cli import main
from pipeline.jobs.ingest import IngestOptions, ingest
from pipeline.lake.lake import Lake
from pipeline.lake.new_run import new_run
from pipeline.lake.tables import SILVER_TYPE
from pipeline.runtime.session import SparkSettings
from tests.extent import IS_ALL
from tests.pipeline.delta_tables import rows_of
from tests.pipeline.estates import TO_PARTS, document, row, written

Json = dict[str, Any]
SETTINGS = SparkSettings("local[2]")
pytestmark = pytest.mark.usefixtures("spark")


@pytest.fixture
def lake(three_runs: Path, tmp_path: Path) -> Path:
    """A copy of a lake for one test, without the files that it has read."""
    shutil.copytree(three_runs, tmp_path / "lake")
    return tmp_path / "lake"


def came(folder: Path, name: str, *rows: Json) -> None:
    written(folder / "in" / f"{name}.jsonl", [*rows])
    ingest(IngestOptions(str(folder / "in"), str(folder / "lake")), SETTINGS)


def names(spark: SparkSession, lake: Lake) -> list[str]:
    return sorted(row["conversation_id"] for row in lake.silver(spark).collect())


def routed(lake: Path, *more: str) -> Json:
    estate = written(lake.parent / "estate.json", document(TO_PARTS))
    out = lake.parent / "out"
    assert main(["route", "--estate", estate, "--traffic", str(lake), "--out", str(out), *more]) == 0
    record: Json = json.loads((out / "_run.json").read_text(encoding="utf-8"))
    assert record["counts"]["out"] == len(rows_of(out))
    return record


def test_every_reader_sees_the_committed_rows(lake: Path, spark: SparkSession) -> None:
    left = lake / "silver" / "run=new-29990101T000000Z-0badcafe" / "day=2026-03-01"
    left.mkdir(parents=True)
    pq.write_table(pq.read_table(Lake(lake).files("silver")[0], partitioning=None), left / "part.parquet")
    expected = sorted(str(row.asDict()) for row in Lake(lake).silver(spark).collect())
    table = DeltaTable(lake / "silver")
    silver = table.to_pyarrow_dataset()
    assert silver is not None
    found = table.to_pyarrow_table().select(SILVER_TYPE.names)
    assert len(expected) == found.num_rows == len(table.to_pandas()) == 3
    naive = [{**one, "at": one["at"].replace(tzinfo=None)} for one in found.to_pylist()]
    assert sorted(map(str, naive)) == expected
    assert duckdb.sql("SELECT count(*) FROM silver WHERE day = DATE '2026-03-02'").fetchall() == [(1,)]
    assert [one["run"] for one in table.history()] == [*Lake(lake).commits()][::-1]


def test_a_job_reads_the_lake_as_it_was_in_a_version(lake: Path, spark: SparkSession) -> None:
    assert names(spark, Lake(lake).opened(0)) == ["c1", "c2"]
    opened = Lake(lake).opened()
    DeltaTable(lake / "silver").delete("conversation_id = 'c3'")
    assert names(spark, opened) == ["c1", "c2", "c3"], "later versions do not change it"
    assert routed(lake, "--version", "0")["counts"]["in"] == 2


@pytest.mark.parametrize("version", ["9", "-1", "x"])
def test_a_version_that_is_not_there_is_one_line(lake: Path, version: str, capsys: pytest.CaptureFixture[str]) -> None:
    estate = written(lake.parent / "estate.json", document(TO_PARTS))
    arguments = ["route", "--estate", estate, "--traffic", str(lake), "--out", str(lake.parent / "out")]
    try:
        status = main([*arguments, f"--version={version}"])
    except SystemExit as refused:
        status = refused.code  # type: ignore[assignment]  # of the command line
    assert status in (2, 4)
    assert "Traceback" not in capsys.readouterr().err


def test_runs_outlast_checkpoints_and_a_cleaned_log(lake: Path, spark: SparkSession) -> None:
    table = DeltaTable(lake / "silver")
    table.create_checkpoint()
    (lake / "silver" / "_delta_log" / f"{0:020}.json").unlink()
    assert names(spark, Lake(lake)) == ["c1", "c2", "c3"]
    assert len(Lake(lake).commits()) == 3
    with new_run(Lake(lake)) as run:
        run.commit({"inputs": []})
    assert (names(spark, Lake(lake)), len(Lake(lake).commits())) == (["c1", "c2", "c3"], 4)


def test_a_run_without_a_clean_row_counts(three_runs: Path) -> None:
    """The second one; what it has read is not read again."""
    lake = Lake(three_runs)
    assert (len(lake.commits()), len(lake.folders("silver"))) == (3, 2)
    assert ingest(IngestOptions(str(three_runs.parent / "in"), str(three_runs)), SETTINGS).counts["in"] == 0


def test_files_that_another_program_rewrote_are_read(lake: Path, spark: SparkSession) -> None:
    """Sums still hold, because the rows are the same; which run a row came with is not known any more."""
    if IS_ALL:
        assert routed(lake)["taken_over"] == 0
    runs = frozenset(Lake(lake).commits())
    assert Lake(lake).opened().is_apart(runs)
    DeltaTable(lake / "silver").optimize.compact()
    assert names(spark, Lake(lake)) == ["c1", "c2", "c3"]
    assert len(Lake(lake).sums()) == 2
    places = Lake(lake).silver(spark, with_place=True).collect()
    assert all(place["_file"] and place["_row"] is not None for place in places)
    assert Lake(lake).opened().is_apart(runs)
    came(lake.parent, "c", row(4), row(1))
    assert not Lake(lake).opened().is_apart(runs)
    if IS_ALL:
        record = routed(lake)
        assert (record["counts"]["in"], record["counts"]["out"], record["taken_over"]) == (4, 4, 0)


def test_sums_do_not_hold_where_another_program_removed_rows(lake: Path, spark: SparkSession) -> None:
    DeltaTable(lake / "silver").delete("conversation_id = 'c3'")
    assert names(spark, Lake(lake)) == ["c1", "c2"]
    assert Lake(lake).sums() == []


def test_a_table_that_needs_a_newer_reader_is_refused(lake: Path, capsys: pytest.CaptureFixture[str]) -> None:
    protocol = {"protocol": {"minReaderVersion": 2, "minWriterVersion": 5}}
    log = lake / "silver" / "_delta_log"
    (log / f"{3:020}.json").write_text(json.dumps(protocol), encoding="utf-8")
    estate = written(lake.parent / "estate.json", document(TO_PARTS))
    assert main(["route", "--estate", estate, "--traffic", str(lake), "--out", str(lake.parent / "out")]) == 4
    assert "its table needs a reader of version 2 of Delta" in capsys.readouterr().err


def test_a_commit_whose_record_is_gone_is_one_line(lake: Path, capsys: pytest.CaptureFixture[str]) -> None:
    next((lake / "_commits").glob("run=*.json")).unlink()
    estate = written(lake.parent / "estate.json", document(TO_PARTS))
    assert main(["route", "--estate", estate, "--traffic", str(lake), "--out", str(lake.parent / "out")]) == 4
    assert "is damaged: the record of the run" in capsys.readouterr().err


def test_a_run_that_fails_after_its_commit_leaves_its_files(lake: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As when the record of the last run cannot be written: the rows count by then."""

    def fail(*_given: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("pipeline.lake.new_run.write_record", fail)
    with pytest.raises(OSError, match="No space"), new_run(Lake(lake)) as run:
        run.commit({"inputs": [], "started": time.time()})
    assert len(Lake(lake).commits()) == 4

"""A log that is damaged, and a commit that fails: the tables of a result name no file that is gone."""

from __future__ import annotations

import errno
from pathlib import Path

import pyarrow as pa
import pytest
from deltalake import DeltaTable
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from pipeline.cli import main
from pipeline.delta.table import DeltaLog
from pipeline.files.parquet import write_table
from pipeline.results.manifest import table_manifest
from pipeline.results.new_tables import new_tables
from pipeline.results.output_folder import read_record
from pipeline.runtime.spark_errors import damaged_file, missing_file
from routing.common.errors import InputError
from tests.pipeline.estates import document, row, written

NAMES = ("first", "second")


def run(out: Path, value: str) -> None:
    """A result of two tables, each with one value."""
    with new_tables(str(out)) as result:
        for name in NAMES:
            write_table(pa.table({"value": [value]}), result.folders.table(name) / "part-0.parquet")
        result.publish({"format": "brokerui.gold/1", **table_manifest(result.folders)})


def values(table: Path) -> list[str]:
    found: list[str] = DeltaTable(table).to_pyarrow_table()["value"].to_pylist()
    return found


def last_commit(table: Path) -> Path:
    return max((table / "_delta_log").glob("*.json"))


@pytest.mark.parametrize("content", [b"", b"{", b"\x00\xff garbage\n"], ids=["empty", "cut off", "garbage"])
def test_a_damaged_log_of_one_table_leaves_the_others_as_they_are(content: bytes, tmp_path: Path) -> None:
    out = tmp_path / "out"
    run(out, "a")
    before = {path for path in out.rglob("*") if path.is_file()}
    last_commit(out / "second").write_bytes(content)
    with pytest.raises(InputError):
        run(out, "b")
    assert {path for path in out.rglob("*") if path.is_file()} == before
    assert values(out / "first") == ["a"]


@pytest.mark.parametrize("failing", NAMES)
def test_a_commit_that_fails_on_a_full_volume_leaves_tables_that_can_be_read(
    failing: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "out"
    run(out, "a")
    record, commit = read_record(out), DeltaLog.commit

    def full(log: DeltaLog, *given: object) -> int:
        if str(log.root).endswith(failing):
            raise InputError(str(log.root), "", OSError(errno.ENOSPC, "No space left on device"))  # type: ignore[arg-type]  # in place of a sentence
        return commit(log, *given)  # type: ignore[arg-type]  # as they came

    with monkeypatch.context() as patch:
        patch.setattr(DeltaLog, "commit", full)
        with pytest.raises(InputError):
            run(out, "b")
    assert read_record(out) == record, "the former result counts"
    assert [values(out / name) for name in NAMES] == ([["a"], ["a"]] if failing == "first" else [["b"], ["a"]])
    assert len([*out.glob("first/result-*")]) == (1 if failing == "first" else 2)
    run(out, "c")
    assert [values(out / name) for name in NAMES] == [["c"], ["c"]]


def test_a_file_that_is_gone_from_under_a_job_is_named(
    tmp_path: Path, spark: SparkSession, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def reads(*_: object) -> None:
        spark.read.parquet(str(tmp_path / "gone.parquet"))

    monkeypatch.setattr("pipeline.jobs.route.run_on_traffic", reads)
    estate, traffic = written(tmp_path / "e.json", document()), written(tmp_path / "in" / "a.jsonl", [row(1)])
    assert main(["route", "--estate", estate, "--traffic", traffic, "--out", str(tmp_path / "out")]) == 4
    problem = "is not there any more: lake vacuum, or another program, removed it"
    assert capsys.readouterr().err == f"error: {tmp_path}/gone.parquet: {problem}\n"


def test_one_that_goes_while_it_is_read_is_not_taken_for_damaged() -> None:
    failure = PySparkException(
        "[FAILED_READ_FILE.FILE_NOT_EXIST] Encountered error while reading file file:///lake/a%20b.parquet. File does "
        "not exist. It is possible the underlying files have been updated."
    )
    assert (missing_file(failure), damaged_file(failure)) == ("/lake/a b.parquet", None)

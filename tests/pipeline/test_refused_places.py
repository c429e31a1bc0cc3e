"""A place that the operating system refuses to Spark is one line, which names the place and the reason."""

from __future__ import annotations

import errno
from pathlib import Path

import pytest
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from pipeline.cli import main
from pipeline.files.hadoop_errors import python_error
from pipeline.files.local import LocalFiles
from pipeline.files.location import location
from pipeline.results.output_folder import write_rows
from pipeline.runtime.spark_errors import SPARK_FAILURES, damaged_file, refused_place
from tests.pipeline.estates import document, row, written

NOWHERE = Path("/proc/brokerui/rows")
"""A folder that not even the administrator can make."""
FULL = (
    "Job aborted due to stage failure: Task 0 in stage 1.0 failed 1 times, most recent failure: Lost task 0.0: "
    "org.apache.spark.SparkException: [TASK_WRITE_FAILED] Task failed while writing rows to "
    "file:/data/my%20lake/silver/run=1. SQLSTATE: 58030\nCaused by: java.io.IOException: No space left on device"
)
SPILLED = "[FAILED_READ_FILE.NO_HINT] while reading file file:///in/a.parquet\njava.io.IOException: Disk quota exceeded"
DENIED = (
    "[FAILED_READ_FILE.NO_HINT] Encountered error while reading file file:///in/a.parquet. "
    "Caused by: java.io.FileNotFoundException: /in/a.parquet (Permission denied)"
)


def test_spark_says_where_it_can_make_no_folder(spark: SparkSession, capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SPARK_FAILURES) as failure:
        write_rows(spark.range(3).toDF("number"), NOWHERE)
    found = refused_place(failure.value)
    assert found is not None
    assert (found.place, found.reason) == (str(NOWHERE), "no folder can be made there")
    assert capfd.readouterr().err == "", "its own log has nothing to add"


@pytest.mark.parametrize(
    ("words", "place", "reason"),
    [
        (FULL, "/data/my lake/silver/run=1", "No space left on device"),
        (DENIED, "/in/a.parquet", "Permission denied"),
        (SPILLED, "", "Disk quota exceeded"),
    ],
)
def test_its_failures_name_place_and_reason(words: str, place: str, reason: str) -> None:
    failure = PySparkException(words)
    assert refused_place(failure) == (place, reason)
    assert damaged_file(failure) is None, "the file is whole"


def test_another_failure_is_none() -> None:
    assert refused_place(PySparkException("[DIVIDE_BY_ZERO] Division by zero.")) is None
    assert refused_place(ValueError("No space left on device")) is None


@pytest.mark.parametrize(
    ("failure", "where"),
    [
        (PySparkException(FULL), "/data/my lake/silver/run=1: cannot be written"),
        (PySparkException(SPILLED), "{out}: cannot be written"),
        (OSError(errno.ENOSPC, "No space left on device"), "{out}"),
        (OSError(errno.ENOSPC, "No space left on device", "/data/x"), "/data/x"),
    ],
)
def test_a_job_that_meets_one_ends_with_4_and_one_line(
    failure: Exception,
    where: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def fails(*_: object) -> None:
        raise failure

    monkeypatch.setattr("pipeline.jobs.route.run_on_traffic", fails)
    estate, traffic = written(tmp_path / "e.json", document()), written(tmp_path / "in" / "a.jsonl", [row(1)])
    out = str(tmp_path / "out")
    assert main(["route", "--estate", estate, "--traffic", traffic, "--out", out]) == 4
    found = capsys.readouterr().err
    assert found.startswith(f"error: {where.format(out=out)}: ")
    assert found.count("\n") == 1


def test_an_input_that_cannot_be_copied_is_named_and_not_the_lake(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    traffic = tmp_path / "in"
    written(traffic / "a.jsonl", [row(1)])
    (traffic / "b.jsonl").symlink_to("/proc/self/mem")  # it can be opened and not read
    assert main(["ingest", "--in", str(traffic), "--out", str(tmp_path / "lake")]) == 4
    assert capsys.readouterr().err.startswith(f"error: {traffic}/b.jsonl: cannot be read: ")
    assert not [*(tmp_path / "lake" / "silver").glob("run=*")]


def test_a_file_that_java_may_not_open_is_not_taken_for_one_that_is_gone() -> None:
    found = python_error(location("file:///in/a"), ("java.io.FileNotFoundException", "/in/a (Permission denied)"))
    assert isinstance(found, PermissionError)


def test_a_copy_for_which_there_is_no_room_is_named_and_not_the_file_that_is_read(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text("{}\n")
    with pytest.raises(OSError, match="No space left on device") as found:
        LocalFiles().copy(tmp_path / "a.jsonl", Path("/dev/full"))
    assert (found.value.filename, found.value.filename2) == ("/dev/full", None)

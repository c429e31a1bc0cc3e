"""A store that fails in the middle of a job is one line on the terminal, and no traceback."""

from __future__ import annotations

import errno
from pathlib import Path

import pytest
from pyspark.errors import PySparkException

from pipeline.cli import main
from tests.pipeline.estates import document, row, written

DENIED = (
    "Job aborted due to stage failure: Task 0 in stage 1.0 failed: java.nio.file.AccessDeniedException: s3a://b/x: "
    "PutObject: 403\n\tat org.apache.spark.Executor"
)


@pytest.mark.parametrize(
    ("failure", "status", "says"),
    [
        (PySparkException(DENIED), 1, "error: Spark: has no permission: s3a://b/x: PutObject: 403\n"),
        (
            PermissionError(errno.EACCES, "no permission (403)", "s3a://b/x"),
            4,
            "error: s3a://b/x: no permission (403)\n",
        ),
        (OSError(errno.EIO, "refused", "hdfs://head:8020/x"), 4, "error: hdfs://head:8020/x: refused\n"),
    ],
)
def test_a_failure_in_the_middle_is_one_line(
    failure: Exception,
    status: int,
    says: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def fails(*_: object) -> None:
        raise failure

    monkeypatch.setattr("pipeline.jobs.route.run_on_traffic", fails)
    estate, traffic = written(tmp_path / "e.json", document()), written(tmp_path / "in" / "a.jsonl", [row(1)])
    assert main(["route", "--estate", estate, "--traffic", traffic, "--out", str(tmp_path / "out")]) == status
    assert capsys.readouterr().err == says


def test_another_failure_keeps_its_traceback(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: object) -> None:
        raise OSError(errno.EIO, "a plain file", "out")

    monkeypatch.setattr("pipeline.jobs.route.run_on_traffic", fails)
    estate, traffic = written(tmp_path / "e.json", document()), written(tmp_path / "in" / "a.jsonl", [row(1)])
    with pytest.raises(OSError, match="a plain file"):
        main(["route", "--estate", estate, "--traffic", traffic, "--out", str(tmp_path / "out")])

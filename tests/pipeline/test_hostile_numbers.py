"""Numbers and moments that no job can have are one line, before anything is read."""

from __future__ import annotations

from pathlib import Path

import pytest

from pipeline.cli import main
from pipeline.delta.table import TableCommit
from pipeline.lake.tables import silver_log
from tests.pipeline.estates import document, written

GENERATE = ("generate", "--estate", "e", "--out", "o")
MANY = "9" * 25


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["lake", "compact", "x", "--megabytes", "1.5"], "--megabytes: must be a whole number, not 1.5"),
        (["lake", "compact", "x", "--megabytes", MANY], "must be 1,000,000,000,000 or less"),
        (["route", "--version", "last"], "--version: must be a whole number, not last"),
        (["replay", "--version", MANY], "must be 1,000,000,000,000 or less"),
        ([*GENERATE, "--seed", MANY], "--seed: must be 9,223,372,036,854,775,807 or less"),
        ([*GENERATE, "--rows", MANY], "must be 1,000,000,000,000 or less"),
        ([*GENERATE, "--days", "40000"], "--days: must be 36,500 or less, not 40000"),
        ([*GENERATE, "--classes", MANY], "--classes: must be 1,000,000 or less"),
        (["telemetry", "--unused-days", MANY], "--unused-days: must be 36,500 or less"),
    ],
)
def test_a_number_that_no_job_can_have_is_bad_usage(
    words: list[str], says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as end:
        main(words)
    assert end.value.code == 2
    assert says in capsys.readouterr().err


@pytest.mark.parametrize(
    ("start", "says"),
    [
        ("1752-12-31", "--start: must be 1753-01-01 or later, not 1752-12-31T00:00:00+00:00"),
        ("9999-12-30", "--start: leaves no room for 7 days before the year 10000"),
    ],
)
def test_traffic_that_no_row_can_be_of_is_one_line(
    start: str, says: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    estate, out = written(tmp_path / "estate.json", document()), tmp_path / "out"
    words = ["generate", "--estate", estate, "--rows", "5", "--seed", "1", "--out", str(out)]
    assert main([*words, "--start", start]) == 4
    assert capsys.readouterr().err == f"error: {says}\n"
    assert not out.exists()


def test_a_version_that_a_lake_has_not_names_the_last(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lake, estate = tmp_path / "lake", written(tmp_path / "estate.json", document())
    (lake / "_commits").mkdir(parents=True)
    silver_log(lake).commit(TableCommit([]), None)
    words = ["route", "--estate", estate, "--traffic", str(lake), "--out", str(tmp_path / "out")]
    assert main([*words, "--version", "9"]) == 4
    assert capsys.readouterr().err == f"error: {lake / 'silver'}: has no version 9: the last is 0\n"

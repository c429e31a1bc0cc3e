"""`brokerui pipeline …` as users start it."""

from __future__ import annotations

from pathlib import Path

import pytest

from pipeline.cli import main
from tests.brokerui.cli.command_line import start
from tests.pipeline.estates import written


def test_help_lists_the_jobs_and_starts_no_java() -> None:
    result = start("pipeline", "generate", "--help")
    assert result.returncode == 0
    assert b"--seed S" in result.stdout


def test_bad_input_is_one_line_and_status_4(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    bad = written(tmp_path / "bad.json", {"format": "x"})
    status = main(["generate", "--estate", bad, "--rows", "5", "--seed", "1", "--out", str(tmp_path / "t")])
    out, err = capsys.readouterr()
    assert (status, out) == (4, "")
    assert err == f'error: {bad}: $.format: must be "brokerui.estate/1", not "x"\n'
    assert not (tmp_path / "t").exists()


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ([], "the following arguments are required: JOB"),
        (["generate"], "the following arguments are required: --estate, --rows, --seed, --out"),
        (["generate", "--estate", "e", "--rows", "0", "--seed", "1", "--out", "o"], "must be 1 or more, not 0"),
        (["generate", "--conf", "x=1"], "must be spark.KEY=VALUE, not x=1"),
        (["generate", "--start", "noon"], "must be a date and time as ISO 8601"),
    ],
)
def test_bad_usage_is_status_2(arguments: list[str], says: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        main(arguments)
    assert end.value.code == 2
    assert says in capsys.readouterr().err

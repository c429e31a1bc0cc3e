"""`brokerui pipeline …` as users start it."""

from __future__ import annotations

import argparse
from pathlib import Path

import pytest

from pipeline.cli import main
from pipeline.job_arguments import JOBS
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
        (["route", "--estate", "file://elsewhere/e.json"], "must be of this machine, as file:///data, not file://else"),
        (["lake", "history", "HTTPS://127.0.0.1:1/x"], "must be a path or the URL of a store with folders"),
        (["lake", "compact", ""], "must name a path or a URL, not an empty text"),
        (["ingest", "--encoding", "western"], "western is no encoding; cp1252, cp1251 or latin-1 are"),
        (["ingest", "--encoding", "base64"], "base64 is no encoding"),
        (["ingest", "--every", "soon"], "must be a time such as 5s, 2 minutes or 1h, not soon"),
        (["ingest", "--every", "0s"], "must be a time such as 5s, 2 minutes or 1h, not 0s"),
    ],
)
def test_bad_usage_is_status_2(arguments: list[str], says: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        main(arguments)
    assert end.value.code == 2
    assert says in capsys.readouterr().err


@pytest.mark.parametrize(
    ("text", "spark"),
    [
        ("5s", "5 seconds"),
        ("2 minutes", "2 minutes"),
        ("250ms", "250 milliseconds"),
        ("1H", "1 hours"),
        ("1 day", "1 days"),
    ],
)
def test_the_time_between_two_looks_is_one_that_spark_knows(text: str, spark: str) -> None:
    parser = argparse.ArgumentParser()
    JOBS["ingest"][1](parser)
    assert parser.parse_args(["--in", "in", "--out", "lake", "--every", text]).every == spark


@pytest.mark.parametrize(
    ("named", "found"),
    [
        ("file:///data/my%20traffic/", "file:///data/my traffic"),
        ("file:/data/my%20traffic", "file:///data/my traffic"),
        ("file://localhost/data", "file:///data"),
        ("S3A://traffic/a%20b/", "s3a://traffic/a%20b"),
        ("a%20b:c", "a%20b:c"),
    ],
)
def test_a_path_may_be_a_url(named: str, found: str) -> None:
    parser = argparse.ArgumentParser()
    JOBS["ingest"][1](parser)
    options = parser.parse_args(["--in", named, "--out", named])
    assert (options.traffic, options.out) == (found, found)

"""`pipeline round`: several jobs in one session; one that fails costs the others nothing."""

from __future__ import annotations

import argparse
import io
import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from subprocess import DEVNULL, PIPE
from typing import Any

import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession

from brokerui.core.home import CHECKOUT
from pipeline.cli import main
from pipeline.job_arguments import JOBS
from pipeline.results.run_record import JobRun
from pipeline.round import AskedJobs
from tests.brokerui.product import environment, eventually
from tests.pipeline.estates import TO_PARTS, document, row, written
from tests.pipeline.processes import children

SECONDS = 200


@pytest.fixture
def lines(tmp_path: Path) -> list[str]:
    """The jobs of a night: an ingest, a job whose input is not there, and one that reads what the first wrote."""
    estate = written(tmp_path / "estate.json", document(TO_PARTS))
    written(tmp_path / "in" / "a b.jsonl", [row(1), row(2), {"at": "never"}])
    return [
        f"ingest --in {tmp_path}/in --out '{tmp_path}/the lake'",
        f"telemetry --events {tmp_path}/nothing --out {tmp_path}/told",
        f"route --estate {estate} --traffic '{tmp_path}/the lake' --out {tmp_path}/routed",
    ]


def test_jobs_run_in_order_and_one_that_fails_costs_the_others_nothing(
    spark: SparkSession, tmp_path: Path, lines: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "night.txt"
    file.write_text("\n".join(["# every night", "", *lines]))
    assert main(["round", str(file)]) == 4
    out, err = capsys.readouterr()
    assert err == f"error: {tmp_path}/nothing: is not there\n"
    heads = [line for line in out.splitlines() if " of 3: " in line]
    assert heads == [f"{number} of 3: {line}" for number, line in enumerate(lines, 1)]
    assert out.count("quarantined") == 2
    assert pq.read_table(tmp_path / "routed").num_rows == 2
    assert SparkSession.getActiveSession() is spark


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("ingest --in x", "line 2: the following arguments are required: --out"),
        ("generate --estate e --rows 0 --seed 1 --out o", "line 2: argument --rows: must be 1 or more, not 0"),
        ("route --memory 2g --estate e --traffic t --out o", "line 2: unrecognized arguments: --memory 2g"),
        ("dance", "line 2: argument JOB: invalid choice: 'dance'"),
        ("ingest --in 'x --out y", "line 2: No closing quotation"),
        ("ingest --in x --out y --follow", "line 2: ingest --follow does not end: start it by itself"),
    ],
)
def test_a_line_that_is_no_job_is_found_before_the_first_job_begins(
    tmp_path: Path, line: str, says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    written(tmp_path / "in" / "a.jsonl", [row()])
    file = tmp_path / "night.txt"
    file.write_text(f"ingest --in {tmp_path}/in --out {tmp_path}/lake\n{line}\n")
    assert main(["round", str(file)]) == 4
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith(f"error: {file}: {says}")
    assert err.count("\n") == 1
    assert not (tmp_path / "lake").exists()


def test_a_file_that_is_not_there_is_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["round", str(tmp_path / "none")]) == 4
    assert capsys.readouterr().err == f"error: {tmp_path}/none: cannot be read: No such file or directory\n"


def test_lines_may_come_from_standard_input(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO(f"ingest --in {tmp_path} --out {tmp_path}/lake\n"))
    assert main(["round", "-"]) == 4
    assert capsys.readouterr().err == f"error: {tmp_path}: holds no files\n"


@pytest.mark.usefixtures("spark")
def test_a_starter_hears_of_each_job_before_it_asks_for_the_next(
    tmp_path: Path, lines: list[str], monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """As rounds of the product do: lines come one at a time, and the end of standard input is the end."""
    into, out_of = os.pipe()
    with os.fdopen(into) as stdin, os.fdopen(out_of, "w") as starter:
        monkeypatch.setattr(sys, "stdin", stdin)
        options = argparse.Namespace(lines="-", master=None, memory="1g", conf=[], watched=True)
        statuses = AskedJobs(options).statuses()
        found = []
        for line in (*lines[:2], "dance", lines[2]):
            starter.write(f"{line}\n")
            starter.flush()
            status = next(statuses)
            reports = [json.loads(text) for text in capfd.readouterr().out.splitlines()]
            found.append((status, *reports))
        starter.close()
        assert list(statuses) == []
    done = {"status": 0, "error": ""}
    assert found[0] == (0, {"counts": {"in": 3, "out": 2, "quarantined": 1}}, done)
    assert found[1] == (4, {"status": 4, "error": f"{tmp_path}/nothing: is not there"})
    assert found[2][1]["error"].startswith("standard input: line 3: argument JOB: invalid choice")
    assert found[3] == (0, {"counts": {"in": 2, "out": 2, "quarantined": 0}}, done)


def test_a_fault_of_ours_shows_its_traceback_and_the_next_job_runs(
    tmp_path: Path, lines: list[str], monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(_options: argparse.Namespace) -> JobRun:
        raise ZeroDivisionError("odd")

    summary, add_arguments, _ = JOBS["route"]
    monkeypatch.setitem(JOBS, "route", (summary, add_arguments, broken))
    file = tmp_path / "night.txt"
    file.write_text("\n".join([lines[2], lines[1]]))
    assert main(["round", str(file)]) == 1
    (record,) = [one for one in caplog.records if one.name == "pipeline.round"]
    assert (record.getMessage().split()[0], record.exc_info and record.exc_info[0]) == ("route", ZeroDivisionError)


@pytest.mark.thorough("a Java that is killed ends a job alone as it ends one of a round")
def test_after_a_java_that_was_killed_the_next_job_has_another(tmp_path: Path, lines: list[str]) -> None:
    home = tmp_path / "home"
    home.mkdir()
    command = [sys.executable, "-m", "pipeline", "round", "-", "--watched", "--master", "local[2]"]
    made = {**environment(home), "PYTHONPATH": str(CHECKOUT)}
    with subprocess.Popen(command, cwd=home, env=made, stdin=PIPE, stdout=PIPE, stderr=DEVNULL, text=True) as job:
        assert job.stdin is not None
        job.stdin.write(f"{lines[0]}\n")
        job.stdin.flush()
        eventually(lambda: list((tmp_path / "the lake").rglob("_temporary")), SECONDS)
        for java in children(job.pid):
            os.kill(java, signal.SIGKILL)
        killed = next_status(job)
        assert (killed["status"], killed["error"]) == (1, "Spark: ended before the job was done; nothing was published")
        for line in (lines[0], lines[2]):
            job.stdin.write(f"{line}\n")
            job.stdin.flush()
            assert next_status(job)["status"] == 0
        job.stdin.close()
        assert job.wait(SECONDS) == 1
    assert pq.read_table(tmp_path / "routed").num_rows == 2


def next_status(job: subprocess.Popen[str]) -> dict[str, Any]:
    """The report with which the job that runs ends."""
    assert job.stdout is not None
    reports = map(json.loads, job.stdout)
    return next(report for report in reports if "status" in report)

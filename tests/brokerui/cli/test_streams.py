"""Every command with streams that take nothing: one line, a status that says so, and nothing half done."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any

import pytest

from brokerui.cli.main import COMMANDS
from brokerui.core.home import CHECKOUT
from pipeline.job_arguments import JOBS
from tests.brokerui.cli.command_line import FOUND, question, written

FULL, CLOSED, GONE = ">/dev/full", ">&-", "| true"
OUTCOME = {
    FULL: (4, "error: -: cannot be written: No space left on device\n"),
    CLOSED: (4, "error: -: cannot be written: Bad file descriptor\n"),
    GONE: (141, ""),
}
SCRIPT = "USE A\nGO\nCREATE ROUTE r WITH SERVICE_NAME = N'x', ADDRESS = @a\nCREATE ROUTE s WITH ADDRESS = 'LOCAL'\n"
GRID = "name\tremote_service_name\taddress\nR\tx\tNetBIOS:wrong\nS\tx\tLOCAL\n"
ANSWERS = [
    "outcomes {estate} {asked}",
    "explain {estate} --from host1/Orders --to Stock",
    "diff {estate} {estate}",
    "lint {estate}",
    "lint {estate} --format json",
    "import-sql a={script}",
    "export-sql {estate}",
    "collect-sql",
    "import-catalog a/A={grid}",
    "simulate --seed 1 --faults none",
]


SAME_CODE = pytest.mark.thorough("One function writes for all commands: others are tried with this stream.")
HELPED = [*COMMANDS, "estate import", "keys make", "broker new", "conversation end"]


def in_turns(commands: Sequence[str], streams: Collection[str]) -> list[Any]:
    """Each command with one of the streams, the next command with the next; in `make test-all` with each of them."""
    return [
        pytest.param(command, stream, marks=() if turn % len(streams) == 0 else SAME_CODE)
        for number, command in enumerate(commands)
        for turn, stream in enumerate(streams, number)
    ]


@pytest.fixture
def files(tmp_path: Path) -> dict[str, Path]:
    return {
        "estate": written(tmp_path, "e.json", FOUND),
        "asked": written(tmp_path, "c.jsonl", [question()]),
        "script": written(tmp_path, "s.sql", SCRIPT),
        "grid": written(tmp_path, "g.tsv", GRID),
        "out": tmp_path / "out.json",
    }


def ended(words: str) -> tuple[int, str]:
    """The status of the command, and what it wrote to standard error, whose text Python keeps until it is flushed."""
    command = f'"{sys.executable}" -m {words}; exit "${{PIPESTATUS[0]}}"'
    buffered = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
    done = subprocess.run(
        ["bash", "-c", command], capture_output=True, text=True, cwd=CHECKOUT, env=buffered, check=False
    )
    return done.returncode, done.stderr


@pytest.mark.parametrize(("command", "stream"), in_turns(ANSWERS, OUTCOME))
def test_an_answer_that_cannot_be_written(files: dict[str, Path], command: str, stream: str) -> None:
    status, errors = ended(f"brokerui.cli.main {command.format(**files)} {stream}")
    assert (status, errors[-len(OUTCOME[stream][1]) :]) == (OUTCOME[stream][0], OUTCOME[stream][1] or errors)
    assert "Traceback" not in errors


@pytest.mark.parametrize(
    "command", [pytest.param(one, marks=() if turn % 6 == 0 else SAME_CODE) for turn, one in enumerate(HELPED)]
)
def test_help_that_cannot_be_written(command: str) -> None:
    assert ended(f"brokerui.cli.main {command} --help {FULL}") == OUTCOME[FULL]


@pytest.mark.parametrize("stream", [CLOSED, GONE])
def test_help_whose_reader_has_gone(stream: str) -> None:
    assert ended(f"brokerui.cli.main --help {stream}") == OUTCOME[stream]


@pytest.mark.parametrize(("job", "stream"), in_turns(["", *JOBS], OUTCOME))
def test_help_of_the_jobs_that_cannot_be_written(job: str, stream: str) -> None:
    assert ended(f"pipeline {job} --help {stream}") == OUTCOME[stream]


@pytest.mark.parametrize("command", ["import-sql a={script}", "import-catalog a/A={grid}"])
@pytest.mark.parametrize("form", ["text", "json"])
def test_findings_that_cannot_be_written_leave_no_estate(files: dict[str, Path], command: str, form: str) -> None:
    words = f"brokerui.cli.main {command.format(**files)} --format {form} -o {files['out']}"
    assert ended(f"{words} 2>/dev/full") == (4, "")
    assert not files["out"].exists()
    assert ended(f"{words} 2>&-") == (1, ""), "closed from the start: nobody wants to read it"
    assert files["out"].exists()


MISUSED = {"lint nothing.json": 4, "lint --wrong": 2, "import-sql": 2, "import-sql a=nothing.sql -o x": 4}


@pytest.mark.parametrize(
    ("words", "stream"), in_turns(list(MISUSED), ["2>/dev/full", "2>&-", ">/dev/full 2>/dev/full", ">&- 2>&-"])
)
def test_errors_that_nobody_can_read_keep_their_status(words: str, stream: str) -> None:
    assert ended(f"brokerui.cli.main {words} {stream}") == (MISUSED[words], "")


@pytest.mark.parametrize(("words", "status"), [("ingest --in nothing --out x", 4), ("ingest --wrong", 2)])
def test_errors_of_jobs_that_nobody_can_read_keep_their_status(words: str, status: int) -> None:
    assert ended(f"pipeline {words} 2>/dev/full") == (status, "")

"""How a pure command starts and ends as a process: quickly, without frameworks, without a traceback."""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
from pathlib import Path

import pytest

import brokerui
from brokerui.core.home import CHECKOUT
from tests.brokerui.cli.command_line import FOUND, LOST, question, start, written

HEAVY = {"django", "celery", "pyspark", "babel", "gunicorn"}
TESTS = "tests: [{name: it arrives, from: host1/Orders, to: Stock, must: delivered}]"
START_SECONDS = 1.5
"""Five times the promised time, since other work may share the core; the best of five counts."""


@pytest.fixture
def commands(tmp_path: Path) -> dict[str, list[str]]:
    """A complete call of each pure command that answers questions."""
    estate, after = str(written(tmp_path, "e.json", FOUND)), str(written(tmp_path, "a.json", LOST))
    traffic = {"from_instance": "host1", "from_database": "Orders", "to_service": "Stock"}
    return {
        "outcomes": ["outcomes", estate, str(written(tmp_path, "c.jsonl", [question()]))],
        "explain": ["explain", estate, "--from", "host1/Orders", "--to", "Stock", "--lang", "fr"],
        "diff": ["diff", estate, after, "--traffic", str(written(tmp_path, "t.jsonl", [traffic]))],
        "test": ["test", str(written(tmp_path, "t.yaml", TESTS)), "--estate", estate],
        "simulate": ["simulate", "--seed", "1", "--faults", "none"],
    }


PURE = pytest.mark.parametrize("command", ["outcomes", "explain", "diff", "test", "simulate"])


@PURE
def test_a_pure_command_loads_no_framework(commands: dict[str, list[str]], command: str) -> None:
    program = (
        "import sys; from brokerui.cli.main import main; main(sys.argv[1:]);"
        "print('loaded', *{name.partition('.')[0] for name in sys.modules})"
    )
    result = subprocess.run(
        [sys.executable, "-c", program, *commands[command]], capture_output=True, text=True, cwd=CHECKOUT, check=True
    )
    loaded = set(result.stdout.splitlines()[-1].split())
    assert {"brokerui", "routing"} <= loaded
    assert not loaded & HEAVY


def test_the_package_of_the_commands_is_empty() -> None:
    assert brokerui.__file__ is not None
    assert Path(brokerui.__file__).read_bytes() == b""


@PURE
def test_a_pure_command_starts_quickly(commands: dict[str, list[str]], command: str) -> None:
    assert any(seconds(commands[command]) < START_SECONDS for _ in range(5))


def seconds(arguments: list[str]) -> float:
    """Seconds of processor time of the process that ran: other processes on the machine do not count."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    start(*arguments)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def test_the_installed_command_is_this_one(commands: dict[str, list[str]]) -> None:
    script = Path(sys.executable).with_name("brokerui")
    result = subprocess.run([script, *commands["outcomes"]], capture_output=True, cwd=CHECKOUT, check=True)
    assert result.stdout == start(*commands["outcomes"]).stdout


# ---------------------------------------------------------------- standard streams


def test_the_reader_of_the_output_may_close_the_pipe(tmp_path: Path) -> None:
    """`brokerui outcomes … | head -1`: 141, as of a program that the signal ends, and not a word."""
    estate = written(tmp_path, "e.json", FOUND)
    many = written(tmp_path, "c.jsonl", [question()] * 20_000)
    command = (
        f'"{sys.executable}" -m brokerui.cli.main outcomes "{estate}" "{many}" | head -1; echo "${{PIPESTATUS[0]}}"'
    )
    result = subprocess.run(["bash", "-c", command], capture_output=True, text=True, cwd=CHECKOUT, check=True)
    line, status = result.stdout.splitlines()
    assert json.loads(line)["id"] == "c1"
    assert (status, result.stderr) == ("141", "")


@PURE
def test_a_full_disk_is_said_in_one_line(commands: dict[str, list[str]], command: str) -> None:
    with Path("/dev/full").open("wb") as full:
        result = subprocess.run(
            [sys.executable, "-m", "brokerui.cli.main", *commands[command]],
            stdout=full,
            stderr=subprocess.PIPE,
            cwd=CHECKOUT,
            check=False,
        )
    assert (result.returncode, result.stderr) == (4, b"error: -: cannot be written: No space left on device\n")


CLOSED = "error: -: cannot be written: Bad file descriptor\n"


@pytest.mark.parametrize(
    ("closing", "status", "says"),
    [
        ("outcomes {estate} {asked} >&-", 4, CLOSED),
        ("export-sql {estate} >&-", 4, CLOSED),
        ("lint {estate} --format json >&-", 4, CLOSED),
        ("collect-sql >&-", 4, CLOSED),
        ("explain --help >&-", 4, CLOSED),
        ("explain --help >/dev/full", 4, "error: -: cannot be written: No space left on device\n"),
        ("send --from a/b --service s --to t {estate} >&-", 4, CLOSED),
        ("load {estate} >&-", 4, CLOSED),
        ("simulate --runs 1 >&-", 4, CLOSED),
        ("pipeline ingest --in {estate} --out x >&-", 4, CLOSED),
        ("export-sql {estate} 1</dev/null", 4, CLOSED),
        ("export-sql {estate} >/dev/full 2>/dev/full", 4, ""),
        ("import-sql h={script} -o /dev/full", 4, "error: /dev/full: cannot be written: No space left on device\n"),
        ("import-sql h={script} -o {estate}.new >&-", 0, ""),
        ("outcomes - {asked} <&-", 4, "error: -: standard input is closed, or was read already\n"),
        ("outcomes {estate} {asked} 2>&- >&-", 4, ""),
    ],
)
def test_a_stream_that_is_closed_from_the_start_is_no_traceback(
    tmp_path: Path, closing: str, status: int, says: str
) -> None:
    script = tmp_path / "x.sql"
    script.write_text("CREATE DATABASE A", encoding="utf-8")
    files = {
        "estate": written(tmp_path, "e.json", FOUND),
        "asked": written(tmp_path, "c.jsonl", [question()]),
        "script": str(script),
    }
    command = f'"{sys.executable}" -m brokerui.cli.main {closing.format(**files)}'
    result = subprocess.run(["bash", "-c", command], capture_output=True, text=True, cwd=CHECKOUT, check=False)
    assert (result.returncode, result.stderr) == (status, says)


def test_json_is_utf_8_whatever_the_locale(tmp_path: Path) -> None:
    estate = written(tmp_path, "e.json", FOUND)
    arguments = ("explain", estate, "--outside", "host1", "--to", "Büro", "--format", "json")
    result = start(*arguments, env={**os.environ, "PYTHONIOENCODING": "ascii"})
    assert json.loads(result.stdout.decode("utf-8"))["conversation"]["to_service"] == "Büro"

"""Workers that are killed while they compare, as processes of their own: another one compares anew, nothing is half
kept, and after three attempts it is left to a user."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from brokerui.core.home import CHECKOUT
from tests.brokerui.estate.processes import environment

pytestmark = pytest.mark.both_databases
GIVEN_UP = {"state": "failed", "failure": "worker_lost", "attempts": 3, "kept": 0, "is_right": False}
DONE = {"state": "done", "failure": "", "attempts": 1, "kept": 1, "is_right": True}


def start(home: Path, *arguments: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "tests.brokerui.analysis.effect.worker", *arguments]
    return subprocess.Popen(command, cwd=CHECKOUT, env=environment(home), stdout=subprocess.PIPE, text=True)


def finished(home: Path, *arguments: str) -> str:
    process = start(home, *arguments)
    out, _ = process.communicate(timeout=600)
    assert process.returncode == 0
    return out


def killed(home: Path, *act: str) -> None:
    with start(home, *act) as process:
        assert process.stdout is not None
        line = process.stdout.readline()
        process.kill()
    assert line == "in the middle\n"


@pytest.mark.thorough("the same code runs on PostgreSQL", on="sqlite")
@pytest.mark.django_db(transaction=True)
def test_a_comparison_whose_workers_are_killed(tmp_path: Path) -> None:
    killed(tmp_path, "begin", "packed")
    killed(tmp_path, "hang", "hold")  # all is written, and not yet committed
    killed(tmp_path, "hang", "packed")
    assert json.loads(finished(tmp_path, "work")) == [GIVEN_UP, DONE]

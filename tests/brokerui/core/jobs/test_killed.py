"""Workers that are killed in the middle of a job, as processes of their own: another one takes it up."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from brokerui.core.home import CHECKOUT
from tests.brokerui.core.jobs.worker import LAPSE_S
from tests.brokerui.estate.processes import environment

pytestmark = pytest.mark.django_db(transaction=True)


def start(home: Path, act: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "tests.brokerui.core.jobs.worker", act]
    return subprocess.Popen(command, cwd=CHECKOUT, env=environment(home), stdout=subprocess.PIPE, text=True)


def done(home: Path, act: str) -> str:
    process = start(home, act)
    out, _ = process.communicate(timeout=600)
    assert process.returncode == 0
    return out


def killed(home: Path) -> None:
    with start(home, "hang") as process:
        assert process.stdout is not None
        line = process.stdout.readline()
        process.kill()
    assert line == "in the middle\n"
    time.sleep(LAPSE_S)


def report(home: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(done(home, "report"))
    return found


def test_a_killed_worker_s_job_is_done_by_another_and_nothing_is_written_twice(tmp_path: Path) -> None:
    done(tmp_path, "request")
    killed(tmp_path)
    assert report(tmp_path)["written"] == 0
    done(tmp_path, "work")
    assert report(tmp_path) == {"state": "done", "attempts": 2, "failure": "", "written": 1}

"""Workers that are killed in the middle of a job, as processes of their own: another one takes it up."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path

import pytest

from brokerui.core.home import CHECKOUT
from tests.brokerui.core.jobs.worker import LAPSE_S
from tests.brokerui.estate.processes import environment
from tests.brokerui.homes import MakeHome

pytestmark = pytest.mark.django_db(transaction=True)


def start(home: Path, *acts: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "tests.brokerui.core.jobs.worker", *acts]
    return subprocess.Popen(command, cwd=CHECKOUT, env=environment(home), stdout=subprocess.PIPE, text=True)


def test_a_killed_worker_s_job_is_done_by_another_and_nothing_is_written_twice(
    tmp_path: Path, make_home: MakeHome
) -> None:
    with start(make_home(tmp_path), "request", "hang") as process:
        assert process.stdout is not None
        line = process.stdout.readline()
        process.kill()
    assert line == "in the middle\n"
    time.sleep(LAPSE_S)  # the claim of the process that was killed is over then
    other = start(tmp_path, "report", "work", "report")
    out, _ = other.communicate(timeout=600)
    before, after = map(json.loads, out.splitlines())
    assert (other.returncode, before["written"]) == (0, 0)
    assert after == {"state": "done", "attempts": 2, "failure": "", "written": 1}

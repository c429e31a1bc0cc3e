"""Workers that are killed in the middle, as processes of their own: the next one begins anew, nothing is half there."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from brokerui.core.home import CHECKOUT
from tests.brokerui.estate.processes import environment

pytestmark = pytest.mark.both_databases


def start(home: Path, *arguments: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "tests.brokerui.analysis.imports.worker", *arguments]
    return subprocess.Popen(command, cwd=CHECKOUT, env=environment(home), stdout=subprocess.PIPE, text=True)


def done(home: Path, *arguments: str) -> str:
    process = start(home, *arguments)
    out, _ = process.communicate(timeout=600)
    assert process.returncode == 0
    return out


def killed(home: Path, *words: str) -> None:
    with start(home, *words) as process:
        assert process.stdout is not None
        line = process.stdout.readline()
        process.kill()
    assert line == "in the middle\n"


def reports(home: Path, *words: str) -> list[dict[str, Any]]:
    """What a process reports that does one thing after the other."""
    return [json.loads(line) for line in done(home, *words).splitlines()]


@pytest.mark.thorough("the same code runs on PostgreSQL", on="sqlite")
@pytest.mark.django_db(transaction=True)
def test_killed_while_reading_and_while_applying(tmp_path: Path) -> None:
    killed(tmp_path, "begin", "hang", "preview_of")
    reading, previewed = reports(tmp_path, "report", "work", "report", "apply")
    assert reading["state"] == "reading"
    assert previewed == {"state": "previewed", "attempts": 2, "Version": 0, "Instance": 0, "imported": 0}
    killed(tmp_path, "hang", "_end")  # all is written, and not yet committed
    applying, applied = reports(tmp_path, "report", "work", "report")
    assert applying == {"state": "applying", "attempts": 1, "Version": 0, "Instance": 0, "imported": 0}
    assert applied == {"state": "applied", "attempts": 2, "Version": 1, "Instance": 3, "imported": 1}

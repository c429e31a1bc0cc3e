"""kill -9 in the middle of an apply, a rollback or a timer: the old version or the new one, never half of it."""

from __future__ import annotations

import json
import random
import time
from pathlib import Path

import pytest

from tests.brokerui.estate.processes import output_of, start

pytestmark = pytest.mark.both_databases

APPLIER = "tests.brokerui.changes.applier"
KILLS = 3


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("way", ["by hand", "by the timer"])
def test_a_killed_process_leaves_one_version_or_the_other(tmp_path: Path, way: str) -> None:
    output_of(start(tmp_path, APPLIER, "begin"))
    chances = random.Random(20260712)
    for _ in range(KILLS):
        process = start(tmp_path, APPLIER, "go", way)
        assert process.stdout is not None
        process.stdout.readline()  # it has begun
        time.sleep(chances.uniform(0.0, 0.25))  # the kill comes at a drawn moment
        process.kill()
        process.communicate()
        report = json.loads(output_of(start(tmp_path, APPLIER, "report")))
        assert report["faults"] == []
    assert report["versions"] > 1


@pytest.mark.django_db(transaction=True)
def test_two_people_who_edit_and_apply_at_once_lose_nothing(tmp_path: Path) -> None:
    output_of(start(tmp_path, APPLIER, "begin"))
    for process in [start(tmp_path, APPLIER, "apply", name, "4") for name in "abc"]:
        output_of(process)
    report = json.loads(output_of(start(tmp_path, APPLIER, "report")))
    assert report["faults"] == []
    assert report["routes"] == sorted(f"{name}{number}" for name in "abc" for number in range(4))

"""kill -9 in the middle of an apply, a rollback or a timer: the old version or the new one, never half of it."""

from __future__ import annotations

import json
import random
import time
from pathlib import Path

import pytest

from tests.brokerui.estate.processes import output_of, start
from tests.brokerui.homes import MakeHome
from tests.extent import IS_ALL

pytestmark = pytest.mark.both_databases

APPLIER = "tests.brokerui.changes.applier"
KILLS = 8 if IS_ALL else 2
BY_THE_SAME_SERVICE = pytest.mark.thorough("The timer applies by the service that applies by hand.")


@pytest.mark.thorough("a transaction is what protects the estate, on both databases", on="postgresql")
@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("way", ["by hand", pytest.param("by the timer", marks=BY_THE_SAME_SERVICE)])
def test_a_killed_process_leaves_one_version_or_the_other(tmp_path: Path, make_home: MakeHome, way: str) -> None:
    home, chances = make_home(tmp_path), random.Random(20260712)
    for _ in range(KILLS):
        process = start(home, APPLIER, "go", way)
        assert process.stdout is not None
        assert json.loads(process.stdout.readline())["faults"] == []
        assert process.stdout.readline() == "begun\n"
        time.sleep(chances.uniform(0.0, 0.25))  # the kill comes at a drawn moment
        process.kill()
        process.communicate()
    report = json.loads(output_of(start(tmp_path, APPLIER, "report")))
    assert (report["faults"], report["versions"] > 1) == ([], True)


@pytest.mark.thorough("writers of the live estate take turns on SQLite in estate/test_writers.py", on="sqlite")
@pytest.mark.django_db(transaction=True)
def test_two_people_who_edit_and_apply_at_once_lose_nothing(tmp_path: Path, make_home: MakeHome) -> None:
    output_of(start(make_home(tmp_path), APPLIER, "begin"))
    for process in [start(tmp_path, APPLIER, "apply", name, "4") for name in "ab"]:
        output_of(process)
    report = json.loads(output_of(start(tmp_path, APPLIER, "report")))
    assert report["faults"] == []
    assert report["routes"] == sorted(f"{name}{number}" for name in "ab" for number in range(4))

"""Several people edit one draft at the same time: every edit is in it once, in turn."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.brokerui.estate.processes import output_of, start
from tests.brokerui.homes import MakeHome

pytestmark = pytest.mark.both_databases

WRITERS, EDITS = "ab", 6
WRITER = "tests.brokerui.changes.writer"


@pytest.mark.thorough("writers of the live estate take turns on SQLite in estate/test_writers.py", on="sqlite")
@pytest.mark.django_db(transaction=True)
def test_writers_of_one_draft_take_turns(tmp_path: Path, make_home: MakeHome) -> None:
    output_of(start(make_home(tmp_path), WRITER, "begin"))
    for writer in [start(tmp_path, WRITER, name, str(EDITS)) for name in WRITERS]:
        output_of(writer)
    report = json.loads(output_of(start(tmp_path, WRITER)))
    made = len(WRITERS) * EDITS
    assert sorted(report["routes"]) == sorted(f"{name}{number}" for name in WRITERS for number in range(EDITS))
    assert report["steps"] == list(range(1, made + 1))
    assert report["revision"] == made + 1
    for name in WRITERS:
        assert [route for route in report["routes"] if route[0] == name] == [f"{name}{n}" for n in range(EDITS)]

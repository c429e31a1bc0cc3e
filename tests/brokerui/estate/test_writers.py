"""Several processes write at the same time: every edit is made once, in turn, and none on a stale version."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.brokerui.estate.processes import output_of, start
from tests.brokerui.homes import MakeHome

pytestmark = pytest.mark.both_databases

WRITERS, EDITS = 2, 6
WRITER = "tests.brokerui.estate.writer"


@pytest.mark.thorough("people who apply at once are on PostgreSQL in changes/test_killed_appliers.py", on="postgresql")
@pytest.mark.django_db(transaction=True)
def test_writers_take_turns(tmp_path: Path, make_home: MakeHome) -> None:
    output_of(start(make_home(tmp_path), WRITER, "begin"))
    writers = [start(tmp_path, WRITER, name, str(EDITS)) for name in "ab"[:WRITERS]]
    for writer in writers:
        output_of(writer)
    report = json.loads(output_of(start(tmp_path, WRITER)))
    versions = WRITERS * EDITS + 1
    assert report["versions"] == list(range(1, versions + 1))
    assert report["audit"] == versions
    assert report["agree"]
    assert report["routes"] == 4 + WRITERS * EDITS

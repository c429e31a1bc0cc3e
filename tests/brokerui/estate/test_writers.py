"""Several processes write at the same time: every edit is made once, in turn, and none on a stale version."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from django.db import connection

from brokerui.core.home import CHECKOUT

pytestmark = pytest.mark.both_databases

WRITERS, EDITS = 3, 8


def environment(home: Path) -> dict[str, str]:
    """On a server the database of this test; else a file in a home of its own."""
    given = {**os.environ, "BROKERUI_HOME": str(home)}
    given.pop("DATABASE_URL", None)
    if connection.vendor == "postgresql":
        to = connection.settings_dict
        place = f"{to['HOST']}/{to['NAME']}" if to["HOST"].startswith("/") else f"{to['NAME']}"
        login = f"{to['USER']}:{to['PASSWORD']}" if to["PASSWORD"] else to["USER"]
        where = "" if to["HOST"].startswith("/") else to["HOST"] + (f":{to['PORT']}" if to["PORT"] else "")
        given["DATABASE_URL"] = f"postgres://{login}@{where}/{place}"
    return given


def start(home: Path, *arguments: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "tests.brokerui.estate.writer", *arguments]
    return subprocess.Popen(
        command, cwd=CHECKOUT, env=environment(home), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


def said(process: subprocess.Popen[str]) -> str:
    out, err = process.communicate(timeout=600)
    assert process.returncode == 0, err
    return out


@pytest.mark.django_db(transaction=True)
def test_writers_take_turns(tmp_path: Path) -> None:
    said(start(tmp_path, "begin"))
    writers = [start(tmp_path, name, str(EDITS)) for name in "abc"[:WRITERS]]
    for writer in writers:
        said(writer)
    report = json.loads(said(start(tmp_path)))
    versions = WRITERS * EDITS + 1
    assert report["versions"] == list(range(1, versions + 1))
    assert report["audit"] == versions
    assert report["agree"]
    assert report["routes"] == 4 + WRITERS * EDITS

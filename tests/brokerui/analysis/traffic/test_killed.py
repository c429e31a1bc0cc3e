"""Killed in the middle of a loading: nothing is there, and the next one gives the whole."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from brokerui.core.home import CHECKOUT
from tests.brokerui.analysis.traffic.golds import change, replayed
from tests.brokerui.homes import MakeHome

pytestmark = pytest.mark.slow
KILLED_AFTER = """
import os, signal, sys
from brokerui.cli.product import the_product
with the_product():
    from brokerui.analysis.traffic import services
    work = getattr(services, sys.argv[2])
    def once(*arguments):
        work(*arguments)
        os.kill(os.getpid(), signal.SIGKILL)
    setattr(services, sys.argv[2], once)
    services.gold_load(sys.argv[1])
"""
TABLES = ("run", "change", "link", "file")


def test_the_next_loading_gives_the_same_as_an_undisturbed_one(tmp_path: Path, make_home: MakeHome) -> None:
    folder = replayed(tmp_path / "gold", [change(number) for number in range(1, 500)])
    home = make_home(tmp_path)
    environment = {**os.environ, "BROKERUI_HOME": str(home), "DATABASE_URL": ""}

    def run(*arguments: str) -> int:
        return subprocess.run(
            [sys.executable, *arguments], env=environment, cwd=CHECKOUT, check=False, timeout=600
        ).returncode

    for moment in ("fill", "move"):
        assert run("-c", KILLED_AFTER, str(folder), moment) == -signal.SIGKILL
        assert counts(home) == [0, 0, 0, 0]
    assert run("-m", "brokerui.cli.main", "load", str(folder)) == 0
    assert counts(home) == [1, 499, 2, 4]


def counts(home: Path) -> list[int]:
    with sqlite3.connect(home / "brokerui.sqlite3") as database:
        return [database.execute(f"SELECT count(*) FROM traffic_results_{name}").fetchone()[0] for name in TABLES]

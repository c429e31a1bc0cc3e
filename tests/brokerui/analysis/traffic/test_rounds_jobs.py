"""The jobs of a round share a process; one that fails, or takes the process along, leaves the others theirs."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from brokerui.analysis.traffic import process, working
from brokerui.analysis.traffic.jobs import PipelineCommand
from brokerui.analysis.traffic.models import Round, RoundState
from brokerui.analysis.traffic.rounds import round_ask
from brokerui.core.jobs.kinds import PIPELINE
from brokerui.core.jobs.running import run_next
from routing.common.errors import InputError
from routing.common.sentence import say

pytestmark = pytest.mark.django_db
STAND_IN = """
import json, os, sys
print("begins", *sys.argv[3:], os.getpid(), file=sys.stderr)
for line in sys.stdin:
    name = line.split()[0]
    if name == "crash":
        print("error: no memory is left", file=sys.stderr, flush=True)
        os._exit(137)
    if name == "telemetry":
        print(json.dumps({"status": 4, "error": "log: is not there"}), flush=True)
        continue
    print(json.dumps({"counts": {"in": 2, "out": 2, "quarantined": 0}}), flush=True)
    print(json.dumps({"status": 0, "error": ""}), flush=True)
"""
"""Takes lines as `pipeline round` does."""


@pytest.fixture(autouse=True)
def folder(settings: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A stand-in for the pipeline, and something to take in."""
    settings.EVENT_LOG, settings.TRAFFIC_FOLDER = False, str(tmp_path)
    program = tmp_path / "python"
    program.write_text(f"#!{sys.executable}\nimport sys\ndel sys.argv[1:3]\n{STAND_IN}")
    program.chmod(0o755)
    monkeypatch.setattr(process.sys, "executable", str(program))
    monkeypatch.setattr(working, "inputs_digest", lambda: "digest")
    return tmp_path


def done(monkeypatch: pytest.MonkeyPatch, *commands: PipelineCommand) -> Round:
    """A round of these commands, by a worker."""
    monkeypatch.setattr(working, "jobs_of_a_round", lambda: list(commands))
    round_ask(author="ann")
    assert run_next(PIPELINE)
    return Round.objects.get()


def command(name: str, needs: str = "", *, is_loaded: bool = False) -> PipelineCommand:
    return PipelineCommand(name, ("--out", "a b"), Path("a b"), is_loaded=is_loaded, needs=needs)


def processes(found: Round) -> list[str]:
    return [line for line in found.log.splitlines() if line.startswith("begins")]


def test_all_jobs_of_a_round_share_a_process(monkeypatch: pytest.MonkeyPatch) -> None:
    found = done(monkeypatch, command("ingest"), command("ingest"), command("route"))
    assert (found.state, found.inputs) == (RoundState.DONE, "digest")
    assert len(processes(found)) == 1
    assert [(step["name"], step["in"], step["is_done"]) for step in found.steps] == [
        ("ingest", 2, True),
        ("ingest", 2, True),
        ("route", 2, True),
    ]


def test_memory_and_place_of_spark_are_those_of_the_settings(monkeypatch: pytest.MonkeyPatch, settings: Any) -> None:
    settings.PIPELINE_MEMORY, settings.PIPELINE_MASTER = "3g", "spark://head:7077"
    assert "--memory 3g --master spark://head:7077" in done(monkeypatch, command("ingest")).log
    settings.PIPELINE_MASTER = ""
    Round.objects.all().delete()
    assert "--master" not in done(monkeypatch, command("ingest")).log


def test_one_that_fails_leaves_the_others_theirs_and_the_round_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    found = done(monkeypatch, command("telemetry"), command("route", needs="telemetry"), command("ingest"))
    assert (found.state, found.error, found.inputs) == (RoundState.FAILED, "log: is not there", "")
    assert [(step["name"], step.get("error"), step.get("is_done")) for step in found.steps] == [
        ("telemetry", "log: is not there", None),
        ("ingest", None, True),
    ]
    assert len(processes(found)) == 1


def test_after_one_that_took_the_process_along_there_is_another(monkeypatch: pytest.MonkeyPatch) -> None:
    found = done(monkeypatch, command("crash"), command("ingest"))
    assert (found.state, found.error) == (RoundState.FAILED, "no memory is left")
    assert len(set(processes(found))) == 2
    assert found.steps[-1]["is_done"]


def test_a_result_that_cannot_be_loaded_costs_the_next_job_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(_out: str, **_: Any) -> None:
        raise InputError("a b", "", say("is not there"))

    monkeypatch.setattr(working, "gold_load", refused)
    found = done(monkeypatch, command("route", is_loaded=True), command("ingest"))
    assert found.error == "a b: is not there"
    assert found.steps[-1]["is_done"]


def test_a_failed_step_is_shown_while_the_round_goes_on(viewer: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    found = done(monkeypatch, command("telemetry"), command("ingest"))
    text = viewer.get(f"/traffic/rounds/{found.pk}/").content.decode()
    assert text.count("log: is not there") == 1
    assert 'class="broken"' in text

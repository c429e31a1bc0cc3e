"""An update from the version before, with work in its queues: everything is kept, and what waited is a job."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from django.utils import timezone

from brokerui.analysis.imports.models import ImportRun
from brokerui.analysis.reachability.models import Survey
from brokerui.analysis.traffic.models import Round
from brokerui.core.jobs.models import Job, JobState

pytestmark = pytest.mark.django_db(transaction=True)
BEFORE = [
    ("intake", "0002_unattended"),
    ("lint", "0001_initial"),
    ("reachability", "0001_initial"),
    ("traffic_results", "0003_rounds"),
]
KEY = "0" * 64
NOW = timezone.now()


@pytest.fixture
def old() -> Iterator[Any]:
    """The models of the version before; afterwards the database is as it was."""
    executor = MigrationExecutor(connection)
    executor.migrate(BEFORE)
    yield executor.loader.project_state(BEFORE).apps
    update()


def update() -> None:
    executor = MigrationExecutor(connection)
    executor.migrate(executor.loader.graph.leaf_nodes())


def jobs(kind: str) -> list[Job]:
    return list(Job.objects.filter(kind=kind).order_by("pk"))


def lint_and_reachability(old: Any) -> Iterator[None]:
    """What they had to do is requested."""
    wanted = {"moment": "2030-01-01T00:00:00Z", "scenario": "s", "asked_at": NOW, "begun_at": NOW}
    old.get_model("lint", "LintWanted").objects.create(key=KEY, **wanted)
    surveys = old.get_model("reachability", "Survey").objects
    surveys.create(key=KEY, since="", at=NOW, version=3, asked_at=NOW)
    done = {"finished_at": NOW, "seconds": 1.5, "data": b"matrix", "done": 9, "total": 9}
    surveys.create(key=KEY, since="2020", at=NOW, asked_at=NOW, **done)
    yield
    (lint,), (survey,) = jobs("lint"), jobs("survey")
    assert (lint.state, lint.key) == (JobState.WAITING, f"{KEY} 2030-01-01T00:00:00Z")
    assert lint.payload == {"key": KEY, "moment": "2030-01-01T00:00:00Z", "scenario": "s", "version": None}
    assert (survey.payload["version"], survey.payload["since"]) == (3, "")
    kept = Survey.objects.get()
    assert (bytes(kept.data), kept.since, kept.seconds) == (b"matrix", "2020", 1.5)


def rounds_of_the_pipeline(old: Any) -> Iterator[None]:
    """They keep their history, and one that waits is requested."""
    rounds = old.get_model("traffic_results", "Round").objects
    steps = [{"name": "ingest", "in": 3, "out": 3, "quarantined": 0}]
    rounds.create(asked_at=NOW, asked_by="ann", state="done", steps=steps, log="all of it", inputs="d")
    rounds.create(asked_at=NOW, asked_by="ann", state="running", claim="c", began_at=NOW, heard_at=NOW)
    waiting = rounds.create(asked_at=NOW, asked_by="bob", state="waiting")
    yield
    found = Round.objects.order_by("pk")
    assert [one.state for one in found] == ["done", "interrupted", "waiting"]
    assert (found[0].steps, found[0].log, found[0].inputs) == (steps, "all of it", "d")
    assert found[1].ended_at == NOW
    (job,) = jobs("round")
    assert (Round.objects.get(pk=waiting.pk).job_id, job.requested_by, job.state) == (job.pk, "bob", JobState.WAITING)


def imports(old: Any) -> Iterator[None]:
    """Those that were to be read or applied are requested."""
    runs = old.get_model("intake", "ImportRun").objects
    fields = {"created_at": NOW - timedelta(hours=1), "author": "ann"}
    reading = runs.create(token="a", state="reading", claim="c", claimed_at=NOW, attempts=1, **fields)
    applying = runs.create(token="b", state="applying", applied_by="bob", **fields)
    failed = runs.create(token="c", state="failed", error="{}", **fields)
    yield
    found = {run.pk: run for run in ImportRun.objects.select_related("job")}
    assert [found[run.pk].state for run in (reading, applying, failed)] == ["reading", "applying", "failed"]
    assert [(job.key, job.requested_by) for job in jobs("import")] == [
        (str(reading.pk), "ann"),
        (str(applying.pk), "bob"),
    ]
    assert found[failed.pk].job is None
    assert found[reading.pk].job == jobs("import")[0]


def test_what_waited_is_requested_and_histories_are_kept(old: Any) -> None:
    """One update for all kinds of work, which each make their rows before it and look at them after it."""
    parts = [kind(old) for kind in (lint_and_reachability, rounds_of_the_pipeline, imports)]
    for part in parts:
        next(part)
    update()
    for part in parts:
        assert next(part, "checked") == "checked"

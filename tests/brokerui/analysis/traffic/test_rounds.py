"""Rounds of the pipeline: one at a time, asked for or by the clock, cancelled, given up; and what the page says."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.utils import timezone
from environ import Env

from brokerui.analysis.traffic import working
from brokerui.analysis.traffic.jobs import has_sources, inputs_digest
from brokerui.analysis.traffic.models import Round, RoundState
from brokerui.analysis.traffic.rounds import (
    KEPT,
    NothingToTakeInError,
    round_ask,
    round_ask_if_new,
    round_cancel,
    rounds_prune,
)
from brokerui.core.jobs.kinds import PIPELINE
from brokerui.core.jobs.models import Job, JobFailure, JobState
from brokerui.core.jobs.requests import cancel, retry
from brokerui.core.jobs.running import run_next
from brokerui.estate.models import AuditEntry
from brokerui.pages.traffic import views
from brokerui.running.up import ON

pytestmark = pytest.mark.django_db
STEPS = [
    {"name": "ingest", "stage": "", "rows": 0, "seconds": 2.5, "in": 1_234, "out": 1_200, "quarantined": 34},
    {"name": "route", "stage": "ask", "rows": 56_789, "seconds": 1.5},
]
STEPS[0]["is_done"] = True


@pytest.fixture(autouse=True)
def folder(settings: Any, tmp_path: Path) -> Path:
    """A folder of traffic with a file, and none of an event log."""
    settings.EVENT_LOG, settings.PIPELINE_FOLDER = False, tmp_path / "pipeline"
    settings.TRAFFIC_FOLDER = str(tmp_path / "traffic")
    folder = tmp_path / "traffic"
    folder.mkdir()
    (folder / "a.csv").write_text("to_service\nS\n")
    return folder


JOB_STATES = {RoundState.WAITING: JobState.WAITING, RoundState.RUNNING: JobState.RUNNING}


def made(state: RoundState, *, lapses_s: int = 60, cancelled_by: str = "", **values: Any) -> Round:
    """A round with its job, as long as it is open."""
    now = timezone.now()
    if state in JOB_STATES:
        moments = {"requested_at": now, "due_at": now, "lapses_at": now + timedelta(seconds=lapses_s)}
        values["job"] = Job.objects.create(
            kind="round", key=state, state=JOB_STATES[state], cancelled_by=cancelled_by, claim="c", **moments
        )
    else:
        values["cancelled_by"] = cancelled_by
    return Round.objects.create(**{"asked_at": now, "asked_by": "ann", "state": state, **values})


def round_do() -> bool:
    """What a worker of the pipeline does."""
    return run_next(PIPELINE)


def text_of(client: Client, path: str = "/traffic/") -> str:
    response = client.get(path)
    assert response.status_code == 200
    return response.content.decode()


# -- Asking -------------------------------------------------------------------------------------------------


def test_who_asks_while_a_round_is_open_gets_that_one() -> None:
    first = round_ask(author="ann")
    assert round_ask(author="bob") == first
    Round.objects.update(state=RoundState.RUNNING)
    assert round_ask(author="bob") == first
    assert [(one.author, one.action) for one in AuditEntry.objects.all()] == [("ann", "pipeline.run")]


def test_without_a_source_nobody_can_ask(settings: Any) -> None:
    settings.TRAFFIC_FOLDER = ""
    assert not has_sources()
    with pytest.raises(NothingToTakeInError):
        round_ask(author="ann")
    round_ask_if_new()
    assert not Round.objects.exists()


def test_by_the_clock_a_round_is_done_only_where_something_is_new(folder: Path) -> None:
    digest = inputs_digest()
    round_ask_if_new()
    round_ask_if_new()
    assert Round.objects.get().asked_by == "brokerui"
    Round.objects.update(state=RoundState.DONE, inputs=digest)
    Job.objects.update(state=JobState.DONE)
    for beside in ("_hidden.csv", ".part.csv"):
        (folder / beside).write_text("x")
    round_ask_if_new()
    assert Round.objects.count() == 1
    (folder / "b.csv").write_text("to_service\nS\n")
    round_ask_if_new()
    assert Round.objects.filter(state=RoundState.WAITING).count() == 1


def test_what_failed_is_tried_again_by_the_clock() -> None:
    made(RoundState.FAILED, inputs="")
    round_ask_if_new()
    assert Round.objects.filter(state=RoundState.WAITING).count() == 1


def test_an_empty_folder_is_no_reason(folder: Path) -> None:
    (folder / "a.csv").unlink()
    round_ask_if_new()
    assert not Round.objects.exists()


# -- Ending -------------------------------------------------------------------------------------------------


def test_a_round_that_waits_is_cancelled_at_once_and_one_under_way_by_its_worker() -> None:
    waiting, running, done = made(RoundState.WAITING), made(RoundState.RUNNING), made(RoundState.DONE)
    assert [round_cancel(number=one.pk, author="bob") for one in (waiting, running, done)] == [True, True, False]
    found = list(Round.objects.order_by("pk").values_list("state", "cancelled_by", "job__cancelled_by"))
    assert found == [("cancelled", "bob", "bob"), ("running", "", "bob"), ("done", "", None)]
    assert [one.action for one in AuditEntry.objects.all()] == ["pipeline.cancel"] * 2


def test_a_round_follows_its_job(folder: Path) -> None:
    one = round_ask(author="ann")
    job = Job.objects.get()
    cancel(job.pk, author="bob")
    one.refresh_from_db()
    assert (one.state, one.cancelled_by) == (RoundState.CANCELLED, "bob")
    retry(job.pk, author="ann")
    assert list(Round.objects.values_list("state", "asked_by")) == [("waiting", "ann"), ("cancelled", "ann")]
    (folder / "a.csv").unlink()
    assert round_do()
    assert Round.objects.all()[0].state == RoundState.DONE


def test_a_round_that_takes_every_worker_along_is_interrupted() -> None:
    one = made(RoundState.RUNNING, lapses_s=-1)
    Job.objects.update(attempts=3)
    assert not round_do()
    one.refresh_from_db()
    assert one.state == RoundState.INTERRUPTED
    assert Job.objects.get().failure == JobFailure.WORKER_LOST


def test_a_lost_round_is_begun_anew_by_the_next_worker(folder: Path) -> None:
    (folder / "a.csv").unlink()
    one = made(RoundState.RUNNING, lapses_s=-1, steps=STEPS)
    assert round_do()
    one.refresh_from_db()
    assert (one.state, one.steps) == (RoundState.DONE, [])


def test_a_fault_of_ours_is_tried_three_times_and_then_told(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken() -> str:
        raise ZeroDivisionError

    caplog.set_level("CRITICAL", "brokerui.core.jobs")
    monkeypatch.setattr(working, "inputs_digest", broken)
    round_ask(author="ann")
    states = []
    for _ in range(3):
        Job.objects.update(due_at=timezone.now())
        assert round_do()
        states.append(Round.objects.get().state)
    assert states == [RoundState.WAITING, RoundState.WAITING, RoundState.FAILED]


def test_the_last_rounds_are_kept() -> None:
    for _ in range(KEPT + 3):
        made(RoundState.DONE)
    rounds_prune()
    assert Round.objects.count() == KEPT


def test_a_round_that_finds_no_file_is_done(folder: Path) -> None:
    (folder / "a.csv").unlink()
    round_ask(author="ann")
    assert round_do()
    assert Round.objects.get().state == RoundState.DONE
    assert not round_do()


# -- The pages ----------------------------------------------------------------------------------------------


def test_where_there_is_no_source_the_page_says_how(viewer: Client, settings: Any) -> None:
    settings.TRAFFIC_FOLDER = ""
    text = text_of(viewer)
    assert "The live estate has no instance yet." in text
    assert "TRAFFIC_FOLDER=…" in text


def test_only_who_may_operate_sees_the_buttons(viewer: Client, operator: Client) -> None:
    assert "Run the pipeline now" not in text_of(viewer)
    assert "Run the pipeline now" in text_of(operator)
    one = made(RoundState.RUNNING)
    assert f"Cancel round {one.pk}" not in text_of(viewer)
    assert f"Cancel round {one.pk}" in text_of(operator)
    assert "Run the pipeline now" not in text_of(operator)


def test_run_and_cancel_from_the_page(operator: Client, settings: Any) -> None:
    assert operator.post("/traffic/rounds/").headers["Location"] == "/traffic/"
    one = Round.objects.get()
    operator.post(f"/traffic/rounds/{one.pk}/cancel/")
    assert Round.objects.get().state == RoundState.CANCELLED
    again = operator.post(f"/traffic/rounds/{one.pk}/cancel/", follow=True)
    assert "It was over before it could be cancelled." in again.content.decode()
    assert operator.post("/traffic/rounds/999999/cancel/").status_code == 404
    settings.TRAFFIC_FOLDER = ""
    assert "No round was started." in operator.post("/traffic/rounds/", follow=True).content.decode()


def test_a_round_under_way_with_its_jobs_and_its_log(viewer: Client) -> None:
    one = made(RoundState.RUNNING, steps=STEPS, log="\n".join(f"<line {number}>" for number in range(100)))
    text = text_of(viewer)
    assert "1,234 rows in, 1,200 out, 34 quarantined" in text
    assert "56,789 rows read so far" in text
    assert "<code>ask</code>" in text
    assert "&lt;line 99&gt;" in text
    assert "line 50" not in text
    piece = viewer.get(f"/traffic/rounds/{one.pk}/", headers={"HX-Request": "true"})
    assert "<html" not in piece.content.decode()
    assert "56,789" in piece.content.decode()


def test_once_it_is_over_the_page_is_asked_for_again(viewer: Client) -> None:
    one = made(RoundState.DONE, log="all\nof it")
    piece = viewer.get(f"/traffic/rounds/{one.pk}/", headers={"HX-Request": "true"})
    assert piece.headers["HX-Refresh"] == "true"
    assert "all\nof it" in text_of(viewer, f"/traffic/rounds/{one.pk}/")


@pytest.mark.parametrize(
    ("values", "says"),
    [
        ({"state": RoundState.FAILED, "error": "Java: no <Java>"}, "Java: no &lt;Java&gt;"),
        ({"state": RoundState.FAILED}, "This is a fault of BrokerUI"),
        ({"state": RoundState.CANCELLED, "cancelled_by": "bob"}, "Cancelled by bob."),
        ({"state": RoundState.INTERRUPTED}, "Its worker ended before the round did."),
        ({"state": RoundState.RUNNING, "cancelled_by": "bob"}, "Being cancelled"),
        ({"state": RoundState.DONE}, "There was no new file."),
    ],
)
def test_how_a_round_ended(viewer: Client, values: dict[str, Any], says: str) -> None:
    made(**values)
    assert says in text_of(viewer)


def test_a_round_whose_worker_is_gone_can_be_cancelled_and_no_other_is_begun(operator: Client) -> None:
    gone = made(RoundState.RUNNING, lapses_s=-1)
    text = text_of(operator, f"/traffic/rounds/{gone.pk}/")
    assert "Interrupted" in text
    assert "Run the pipeline now" not in text_of(operator)
    assert f"Cancel round {gone.pk}" in text
    operator.post(f"/traffic/rounds/{gone.pk}/cancel/")
    assert Round.objects.get().state == RoundState.CANCELLED
    assert "Run the pipeline now" in text_of(operator)


@pytest.mark.parametrize("address", ["/traffic/rounds/", "/traffic/rounds/generated/"])
def test_behind_a_round_that_waits_none_is_begun_and_the_page_says_so(
    operator: Client, address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(views, "can_generate", lambda: True)
    first = round_ask(author="ann")
    text = operator.post(address, follow=True).content.decode()
    assert f"Round {first.pk} of the pipeline waits or runs already, and no other one was started." in text
    assert Round.objects.get() == first


def test_the_page_asks_as_much_of_ten_rounds_as_of_one(viewer: Client, django_assert_max_num_queries: Any) -> None:
    for _ in range(12):
        made(RoundState.DONE, steps=STEPS[:1])
    with django_assert_max_num_queries(10, connection=connection):
        text = text_of(viewer)
    assert text.count("/traffic/rounds/") == 1 + 10


def test_up_and_the_settings_agree_on_what_is_on() -> None:
    assert set(ON) == set(Env.BOOLEAN_TRUE_STRINGS)

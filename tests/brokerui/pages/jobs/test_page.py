"""The page of background work: what it shows, and the roles that may cancel a job or try it again."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from brokerui.analysis.imports.models import Phase
from brokerui.analysis.lint.job_kinds import LintStage
from brokerui.analysis.reachability.job_kinds import SurveyStage
from brokerui.core.jobs.kinds import kinds
from brokerui.core.jobs.models import Job, JobFailure, JobState
from brokerui.estate.models import AuditEntry

pytestmark = pytest.mark.django_db
PIECE = {"HX-Request": "true"}
JOB_ACTIONS = AuditEntry.objects.filter(action__startswith="job.")


def made(state: JobState = JobState.WAITING, kind: str = "lint", **values: Any) -> Job:
    now = timezone.now()
    payload = {"key": "k", "moment": "", "scenario": "", "version": 7}
    moments = {"requested_at": now, "due_at": now}
    if state == JobState.RUNNING:
        moments |= {"started_at": now, "lapses_at": now + timedelta(minutes=1)}
    if state in (JobState.DONE, JobState.FAILED, JobState.CANCELLED):
        moments |= {"ended_at": now}
    given = {"payload": payload, "key": f"k{Job.objects.count()}", **moments, **values}
    return Job.objects.create(kind=kind, state=state, **given)


def text_of(client: Client, query: str = "", **headers: str) -> str:
    response = client.get(f"/jobs/{query}", headers=headers)
    assert response.status_code == 200
    return response.content.decode()


def test_without_jobs_the_page_says_what_would_be_here(viewer: Client) -> None:
    assert "No background work yet" in text_of(viewer)


def test_a_job_is_shown_with_its_kind_subject_state_and_progress(viewer: Client) -> None:
    made(JobState.RUNNING, done=250, total=1_000, attempts=1)
    text = text_of(viewer)
    assert "Findings" in text
    assert "version 7 of the estate" in text
    assert '<progress max="1000" value="250"' in text
    assert "250 of 1,000" in text
    assert "0 waiting" in text


def test_a_running_import_is_shown_with_its_stage(viewer: Client) -> None:
    running = made(JobState.RUNNING, kind="import", key="7", payload={}, stage=Phase.OUTCOMES, done=2, total=9)
    assert "Asking where conversations end" in text_of(viewer)
    Job.objects.filter(pk=running.pk).update(stage="of a later release")
    assert "of a later release" not in text_of(viewer)


@pytest.mark.parametrize(
    ("kind", "stage", "says"),
    [
        ("lint", LintStage.CHECKING, "Running the checks"),
        ("survey", SurveyStage.ASKING, "Asking where conversations to each service end"),
        ("round", "route", "Asking where the traffic ends"),
    ],
)
def test_a_running_job_of_each_kind_is_shown_with_its_stage(viewer: Client, kind: str, stage: str, says: str) -> None:
    made(JobState.RUNNING, kind=kind, stage=stage, done=3, total=40)
    text = text_of(viewer)
    assert says in text
    assert "3 of 40" in text
    assert all(one.stages for one in kinds())


@pytest.mark.parametrize(
    ("values", "says"),
    [
        ({"payload": {"draft": 4, "version": 7}}, "draft 4"),
        ({"state": JobState.FAILED, "error": "OSError: <disk>"}, "OSError: &lt;disk&gt;"),
        ({"state": JobState.FAILED, "failure": JobFailure.WORKER_LOST, "attempts": 3}, "It was started 3 times"),
        ({"state": JobState.RUNNING, "cancelled_by": "ann"}, "is being cancelled"),
        ({"state": JobState.CANCELLED, "cancelled_by": "ann"}, "by ann"),
        ({"state": JobState.WAITING, "attempts": 1}, "is tried again"),
        ({"state": JobState.WAITING, "due_at": timezone.now() - timedelta(minutes=5)}, "no worker has started it"),
        ({"state": JobState.RUNNING, "lapses_at": timezone.now() - timedelta(minutes=5)}, "its worker is lost"),
        ({"payload": {"scenario": "<b>"}}, "scenario &lt;b&gt;"),
        ({"kind": "of a later version", "key": "<k>"}, "&lt;k&gt;"),
    ],
)
def test_what_the_state_alone_does_not_say(viewer: Client, values: dict[str, Any], says: str) -> None:
    made(**values)
    assert says in text_of(viewer)


def test_the_filters_show_jobs_of_a_state_and_a_kind(viewer: Client) -> None:
    made(JobState.FAILED, error="of lint")
    made(JobState.FAILED, kind="survey", error="of a survey")
    made(JobState.DONE, payload={"scenario": "done one"})
    assert "done one" not in text_of(viewer, "?state=failed")
    of_both = text_of(viewer, "?state=failed&kind=survey")
    assert ("of a survey" in of_both, "of lint" in of_both) == (True, False)
    assert "No job matches" in text_of(viewer, "?state=failed&kind=round")
    assert "done one" in text_of(viewer, "?state=nonsense&kind=%00")


def test_asked_by_htmx_it_is_a_piece(viewer: Client) -> None:
    made()
    assert "<html" in text_of(viewer)
    assert "<html" not in text_of(viewer, **PIECE)


def test_only_an_editor_sees_and_uses_the_buttons(viewer: Client, operator: Client, editor: Client) -> None:
    job = made()
    for client in (viewer, operator):
        assert "Cancel<" not in text_of(client)
        assert client.post(f"/jobs/{job.pk}/cancel/").status_code == 403
    assert Job.objects.get().state == JobState.WAITING
    assert "Cancel<" in text_of(editor)
    answer = editor.post(f"/jobs/{job.pk}/cancel/", {"next": "/jobs/?kind=lint"})
    assert answer.headers["Location"] == "/jobs/?kind=lint"
    assert Job.objects.get().state == JobState.CANCELLED
    assert "Try again<" in text_of(editor)
    assert editor.post(f"/jobs/{job.pk}/retry/", {"next": "https://elsewhere/"}).headers["Location"] == "/jobs/"
    assert Job.objects.get().state == JobState.WAITING
    assert list(JOB_ACTIONS.order_by("pk").values_list("action", flat=True)) == ["job.cancel", "job.retry"]


def test_read_only_hides_and_refuses_the_buttons(editor: Client, settings: Any) -> None:
    job = made()
    settings.READ_ONLY = True
    assert "Cancel<" not in text_of(editor)
    assert editor.post(f"/jobs/{job.pk}/cancel/").status_code == 403


def test_what_is_over_is_not_cancelled_and_what_is_done_not_tried_again(editor: Client) -> None:
    job = made(JobState.DONE)
    cancelled = editor.post(f"/jobs/{job.pk}/cancel/", follow=True).content.decode()
    assert "It was over before it could be cancelled." in cancelled
    assert "It cannot be tried again any more." in editor.post(f"/jobs/{job.pk}/retry/", follow=True).content.decode()
    assert editor.post("/jobs/999999/cancel/").status_code == 404
    assert not JOB_ACTIONS.exists()


def test_the_page_takes_as_many_queries_for_many_jobs(viewer: Client, django_assert_max_num_queries: Any) -> None:
    for number in range(60):
        made(list(JobState)[number % 5])
    with django_assert_max_num_queries(8):
        text_of(viewer)

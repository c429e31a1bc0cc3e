"""Requests: one open job per key, cancelled and tried again by hand."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from brokerui.core.jobs import wake
from brokerui.core.jobs.claims import claim_next
from brokerui.core.jobs.errors import JobFailedError, JobStateError
from brokerui.core.jobs.kinds import MAINTENANCE, TASKS, register
from brokerui.core.jobs.models import Job, JobState
from brokerui.core.jobs.pruning import KEPT_DAYS, KEPT_PER_KIND, jobs_prune
from brokerui.core.jobs.requests import cancel, request, retry
from brokerui.core.jobs.running import run_next
from brokerui.core.jobs.tasks import jobs_look
from tests.brokerui.core.jobs.conftest import Bench

pytestmark = pytest.mark.django_db


@pytest.fixture
def woken(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Names of the tasks that were sent."""
    sent: list[str] = []
    monkeypatch.setattr(wake, "wake", lambda signature: sent.append(signature.task))
    return sent


def fail(_work: Any) -> None:
    message = "no such estate"
    raise JobFailedError(message)


def state_of(job: Job) -> str:
    return Job.objects.get(pk=job.pk).state


def test_a_second_request_gets_the_open_job(bench: Bench) -> None:
    first = request("bench", "a", {"n": 1}, author="ann")
    assert request("bench", "a", {"n": 2}) == first
    claim_next(["bench"])
    assert request("bench", "a") == first, "it runs"
    assert request("bench", "b") != first
    assert (first.payload, first.requested_by) == ({"n": 1}, "ann")


def test_a_request_wakes_a_worker_once_it_is_committed(
    bench: Bench, woken: list[str], django_capture_on_commit_callbacks: Any
) -> None:
    with django_capture_on_commit_callbacks(execute=True):
        request("bench", "a")
        request("bench", "a")
        request("bench", "b", wakes=False)
        assert woken == []
    assert woken == [TASKS[MAINTENANCE]]


def test_requested_while_it_runs_it_runs_again(bench: Bench) -> None:
    bench.set(runs_again=True)
    job = request("bench", "a")
    runs: list[int] = []

    def work(_work: Any) -> None:
        runs.append(1)
        if len(runs) == 1:
            assert request("bench", "a") == job

    bench.work = work
    assert [run_next(MAINTENANCE) for _ in range(3)] == [True, True, False]
    assert len(runs) == 2
    assert state_of(job) == JobState.DONE


def test_requests_after_the_end_make_a_new_job_once_a_failed_one_has_rested(bench: Bench) -> None:
    bench.set(rest_s=60.0)
    done = request("bench", "a")
    run_next(MAINTENANCE)
    failed = request("bench", "a")
    assert failed != done
    bench.work = fail
    run_next(MAINTENANCE)
    assert request("bench", "a") == failed
    Job.objects.filter(pk=failed.pk).update(ended_at=timezone.now() - timedelta(seconds=61))
    assert request("bench", "a") != failed


def test_a_waiting_job_is_cancelled_at_once(bench: Bench) -> None:
    job = request("bench", "a")
    assert cancel(job.pk, author="ann").state == JobState.CANCELLED
    assert bench.states == ["cancelled"]
    assert not run_next(MAINTENANCE)
    with pytest.raises(JobStateError):
        cancel(job.pk, author="ann")


def test_a_job_whose_worker_is_lost_is_cancelled_at_once(bench: Bench) -> None:
    job = request("bench", "a")
    claim_next(["bench"])
    Job.objects.update(lapses_at=timezone.now() - timedelta(seconds=1))
    assert cancel(job.pk, author="ann").state == JobState.CANCELLED


def test_a_failed_job_is_tried_again_with_all_its_attempts(bench: Bench) -> None:
    bench.work = fail
    job = request("bench", "a")
    with pytest.raises(JobStateError):
        retry(job.pk, author="ann")
    run_next(MAINTENANCE)
    again = retry(job.pk, author="bob")
    assert (again.pk, again.state, again.attempts, again.error) == (job.pk, JobState.WAITING, 0, "")
    assert bench.retries == [job.pk]
    bench.work = lambda work: None
    run_next(MAINTENANCE)
    assert state_of(job) == JobState.DONE
    with pytest.raises(JobStateError):
        retry(job.pk, author="bob")


def test_only_the_newest_job_of_a_key_is_tried_again(bench: Bench) -> None:
    bench.work = fail
    old = request("bench", "a")
    run_next(MAINTENANCE)
    request("bench", "a")
    with pytest.raises(JobStateError):
        retry(old.pk, author="ann")


def test_a_kind_that_refuses_leaves_the_job_as_it_was(bench: Bench) -> None:
    def refuse(job: Job) -> None:
        raise JobStateError(job.state)

    bench.set(on_retry=refuse)
    bench.work = fail
    job = request("bench", "a")
    run_next(MAINTENANCE)
    with pytest.raises(JobStateError):
        retry(job.pk, author="ann")
    assert state_of(job) == JobState.FAILED


def test_two_kinds_cannot_have_one_name(bench: Bench) -> None:
    from brokerui.core.jobs.kinds import kind_of

    with pytest.raises(ValueError, match="registered twice"):
        register(kind_of("bench"))


def test_old_jobs_are_deleted_and_open_ones_stay(bench: Bench) -> None:
    now = timezone.now()
    values = {"kind": "bench", "requested_at": now, "due_at": now}
    old = now - timedelta(days=KEPT_DAYS + 1)
    Job.objects.create(key="old", state=JobState.DONE, ended_at=old, **values)
    Job.objects.create(key="open", **{**values, "requested_at": old, "due_at": old})
    for number in range(KEPT_PER_KIND + 3):
        Job.objects.create(key=str(number), state=JobState.FAILED, ended_at=now, **values)
    assert jobs_prune() == 4
    assert Job.objects.filter(key="open").exists()
    assert set(Job.objects.values_list("key", flat=True)) == {"open", *map(str, range(3, KEPT_PER_KIND + 3))}


def test_the_clock_wakes_for_an_hour_what_is_due_or_lost(
    bench: Bench, woken: list[str], django_capture_on_commit_callbacks: Any
) -> None:
    jobs_look()
    assert woken == []
    job = request("bench", "a", wakes=False)
    jobs_look()
    assert woken == [TASKS[MAINTENANCE]]
    Job.objects.filter(pk=job.pk).update(due_at=timezone.now() - timedelta(minutes=61))
    jobs_look()
    assert len(woken) == 1, "nobody empties the queue of a worker that does not run"
    claim_next(["bench"])
    jobs_look()
    assert len(woken) == 1, "a worker has it"
    Job.objects.update(lapses_at=timezone.now() - timedelta(seconds=1))
    jobs_look()
    assert len(woken) == 2

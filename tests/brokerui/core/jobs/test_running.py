"""Jobs are done once, tried again a bounded number of times, and stop where they are asked to."""

from __future__ import annotations

import logging
import time
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from celery.signals import worker_init, worker_shutting_down
from django.db import transaction
from django.utils import timezone

from brokerui.core.jobs.claims import claim_next, claim_one
from brokerui.core.jobs.endings import BACKOFF, ERROR_LENGTH
from brokerui.core.jobs.errors import JobLostError
from brokerui.core.jobs.kinds import MAINTENANCE, PIPELINE
from brokerui.core.jobs.models import Job, JobFailure, JobState
from brokerui.core.jobs.requests import cancel, request
from brokerui.core.jobs.running import run_next, run_now
from brokerui.core.jobs.work import JobWork
from tests.brokerui.core.jobs.conftest import Bench

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def quiet(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.CRITICAL, "brokerui.core.jobs")


@pytest.fixture
def shutting_down() -> Iterator[None]:
    worker_shutting_down.send(sender=None)
    yield
    worker_init.send(sender=None)


def raising(_work: Any) -> None:
    message = "boom\n\0 at\tonce"
    raise ZeroDivisionError(message)


def due() -> None:
    Job.objects.filter(state=JobState.WAITING).update(due_at=timezone.now())


def lapse() -> None:
    Job.objects.update(lapses_at=timezone.now() - timedelta(seconds=1))


def test_jobs_are_done_in_turn_and_each_once(bench: Bench) -> None:
    keys: list[str] = []
    bench.work = lambda work: keys.append(work.job.key)
    for key in ("b", "a"):
        request("bench", key)
    assert [run_next(MAINTENANCE) for _ in range(3)] == [True, True, False]
    assert keys == ["b", "a"]
    assert bench.states == ["done", "done"]


def test_a_queue_runs_its_own_kinds_only(bench: Bench) -> None:
    bench.set(queue=PIPELINE)
    request("bench", "a")
    assert not run_next(MAINTENANCE)
    assert run_next(PIPELINE)


def test_a_job_of_a_kind_that_nobody_knows_stays(bench: Bench) -> None:
    now = timezone.now()
    Job.objects.create(kind="of a later version", key="a", requested_at=now, due_at=now)
    assert not run_next(MAINTENANCE)
    assert Job.objects.get().state == JobState.WAITING


def test_a_job_that_raises_is_tried_again_after_a_pause_and_then_says_so(bench: Bench) -> None:
    bench.work = raising
    job = request("bench", "a")
    assert run_next(MAINTENANCE)
    job.refresh_from_db()
    assert (job.state, job.attempts, job.error) == (JobState.WAITING, 1, "ZeroDivisionError: boom at once")
    pause_s = (job.due_at - timezone.now()).total_seconds()
    assert BACKOFF.first_s - 5 < pause_s <= BACKOFF.first_s
    assert not run_next(MAINTENANCE), "not before the pause is over"
    for _ in range(2):
        due()
        assert run_next(MAINTENANCE)
    job.refresh_from_db()
    assert (job.state, job.attempts, job.failure) == (JobState.FAILED, 3, JobFailure.RAISED)
    assert job.ended_at is not None
    due()
    assert not run_next(MAINTENANCE)
    assert bench.states == ["waiting", "waiting", "failed"]


def test_the_traceback_is_in_the_log(bench: Bench, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.ERROR, "brokerui.core.jobs")
    bench.work = raising
    request("bench", "a")
    run_next(MAINTENANCE)
    assert "ZeroDivisionError" in caplog.text
    assert "Traceback" in caplog.text


def test_an_error_of_any_length_is_one_line(bench: Bench) -> None:
    def long(_work: Any) -> None:
        raise ValueError("x" * 10_000 + "\udcff")

    bench.work = long
    job = request("bench", "a")
    run_next(MAINTENANCE)
    job.refresh_from_db()
    assert len(job.error) == ERROR_LENGTH


def test_progress_is_written_and_keeps_the_claim(bench: Bench) -> None:
    def work(work: JobWork) -> None:
        lapse()
        work.progress("reading", 5, 10)
        job = Job.objects.get()
        assert (job.stage, job.done, job.total, job.is_lapsed) == ("reading", 5, 10, False)
        work.progress("reading", 6, 10)
        assert Job.objects.get().done == 5, "not more often than anybody looks"
        work.progress("writing")
        assert Job.objects.get().stage == "writing"

    bench.work = work
    job = request("bench", "a")
    assert run_now(job)
    job.refresh_from_db()
    assert (job.state, job.error) == (JobState.DONE, "")


def test_a_running_job_stops_at_its_next_progress_once_it_is_cancelled(bench: Bench) -> None:
    reached: list[str] = []

    def work(work: JobWork) -> None:
        cancel(work.job.pk, author="ann")
        reached.append("before")
        work.check()
        reached.append("after")

    bench.work = work
    job = request("bench", "a")
    run_next(MAINTENANCE)
    job.refresh_from_db()
    assert (job.state, job.cancelled_by, reached) == (JobState.CANCELLED, "ann", ["before"])


@pytest.mark.usefixtures("shutting_down")
def test_a_worker_that_ends_leaves_its_job_to_another(bench: Bench) -> None:
    bench.work = lambda work: work.check()
    job = request("bench", "a")
    assert run_next(MAINTENANCE)
    job.refresh_from_db()
    assert (job.state, job.attempts) == (JobState.WAITING, 0)


def test_no_other_worker_claims_a_running_job_before_its_lapse(bench: Bench) -> None:
    job = request("bench", "a")
    first = claim_next(["bench"])
    assert first is not None
    assert claim_next(["bench"]) is None
    assert claim_one(job.pk) is None
    lapse()
    second = claim_next(["bench"])
    assert second is not None
    assert (second.pk, second.attempts) == (job.pk, 2)
    assert second.claim != first.claim


def test_a_worker_that_lost_its_claim_can_write_nothing(bench: Bench) -> None:
    request("bench", "a")
    first, second = claim_next(["bench"]), None
    lapse()
    second = claim_next(["bench"])
    assert first is not None
    assert second is not None
    lost, holder = JobWork(first, 60), JobWork(second, 60)
    for write in (lost.check, lost.progress, lost.hold):
        with pytest.raises(JobLostError):
            write()
    with transaction.atomic():
        holder.hold()
    assert Job.objects.get().claim == second.claim


def test_what_the_first_worker_of_two_ends_is_not_ended(bench: Bench) -> None:
    def work(work: JobWork) -> None:
        if work.job.attempts == 1:
            lapse()
            assert run_next(MAINTENANCE)
            Job.objects.update(error="of the second")

    bench.work = work
    request("bench", "a")
    assert run_next(MAINTENANCE)
    assert bench.states == ["done"]
    assert Job.objects.get().error == "of the second"


def test_a_job_that_takes_every_worker_along_is_given_up(bench: Bench) -> None:
    job = request("bench", "a")
    for _ in range(3):
        assert claim_next(["bench"]) is not None
        lapse()
    assert claim_next(["bench"]) is None
    job.refresh_from_db()
    assert (job.state, job.failure, job.attempts) == (JobState.FAILED, JobFailure.WORKER_LOST, 3)
    assert bench.states == ["failed"]


def test_a_lost_job_that_was_cancelled_is_not_begun_again(bench: Bench) -> None:
    job = request("bench", "a")
    claim_next(["bench"])
    cancel(job.pk, author="ann")
    lapse()
    assert claim_next(["bench"]) is None
    job.refresh_from_db()
    assert job.state == JobState.CANCELLED


@pytest.mark.django_db(transaction=True)
def test_heartbeats_keep_the_claim_of_work_that_is_longer_than_its_lapse(bench: Bench) -> None:
    bench.set(lapse_s=2.5)
    taken: list[Any] = []

    def work(_work: JobWork) -> None:
        for _ in range(12):
            time.sleep(0.25)  # three seconds in all, longer than the lapse
            taken.append(claim_next(["bench"]))

    bench.work = work
    job = request("bench", "a")
    assert run_next(MAINTENANCE)
    job.refresh_from_db()
    assert (job.state, job.attempts) == (JobState.DONE, 1)
    assert taken == [None] * 12

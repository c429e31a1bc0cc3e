"""How an attempt ends: done, failed, to be tried again, cancelled, or left to another worker."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from django.db import transaction
from django.utils import timezone

from brokerui.core.backoff import Backoff
from brokerui.core.jobs.kinds import kind_of
from brokerui.core.jobs.models import Job, JobFailure, JobState
from brokerui.core.jobs.wake import wake_queue_on_commit

BACKOFF = Backoff(first_s=15.0, max_s=600.0)
ERROR_LENGTH = 500
"""Characters of the line that is kept."""


def succeed(job: Job) -> None:
    """End a job whose work is done."""
    _end(job, JobState.DONE, failure=JobFailure.NONE, error="")


def fail(job: Job, error: Exception) -> None:
    """End a job that no other attempt would help."""
    _end(job, JobState.FAILED, failure=JobFailure.RAISED, error=line_of(error))


def fail_or_retry(job: Job, error: Exception) -> None:
    """Have a job that raised tried again after a pause; end it after its last attempt."""
    if job.attempts >= kind_of(job.kind).max_attempts:
        fail(job, error)
        return
    due_at = timezone.now() + timedelta(seconds=BACKOFF.pause_s(job.attempts))
    _leave(job, JobState.WAITING, due_at=due_at, error=line_of(error))


def cancelled(job: Job) -> None:
    """End a job that somebody cancelled."""
    _end(job, JobState.CANCELLED)


def interrupted(job: Job) -> None:
    """Leave a job to another worker because this one is about to end; the attempt does not count."""
    _leave(job, JobState.WAITING, due_at=timezone.now(), attempts=max(0, job.attempts - 1))


def give_up(job: Job) -> None:
    """End a job whose worker is lost, and that nobody wants or that has no attempt left."""
    if job.cancelled_by:
        cancelled(job)
    else:
        _end(job, JobState.FAILED, failure=JobFailure.WORKER_LOST, error="")


def line_of(error: Exception) -> str:
    """The error as one line of text that every database takes."""
    text = " ".join(str(error).replace("\0", " ").split()).encode("utf-8", "replace").decode()
    return (f"{type(error).__name__}: {text}" if text else type(error).__name__)[:ERROR_LENGTH]


def _end(job: Job, state: JobState, **values: Any) -> None:
    """End the job; one that was requested again meanwhile waits for its next run."""
    is_again = state != JobState.CANCELLED and Job.objects.filter(pk=job.pk, is_requested_again=True).exists()
    if is_again:
        _leave(job, JobState.WAITING, due_at=timezone.now(), attempts=0, is_requested_again=False, **values)
        wake_queue_on_commit(kind_of(job.kind).queue)
    else:
        _leave(job, state, ended_at=timezone.now(), is_requested_again=False, **values)


def _leave(job: Job, state: JobState, **values: Any) -> None:
    """Give the claim back; a worker that has lost it changes nothing."""
    with transaction.atomic():
        mine = Job.objects.filter(pk=job.pk, claim=job.claim, state=JobState.RUNNING)
        if not mine.update(state=state, claim="", lapses_at=None, **values):
            return
        job.refresh_from_db()
        kind_of(job.kind).on_state(job)

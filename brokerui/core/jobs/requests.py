"""Requesting jobs, cancelling them, and trying them again."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from django.db import IntegrityError, transaction
from django.utils import timezone

from brokerui.core.jobs.errors import JobStateError
from brokerui.core.jobs.kinds import JobKind, kind_of
from brokerui.core.jobs.models import ENDED_STATES, OPEN_STATES, Job, JobFailure, JobState
from brokerui.core.jobs.wake import wake_queue_on_commit


def request(name: str, key: str, payload: dict[str, Any] | None = None, *, author: str = "", wakes: bool = True) -> Job:
    """Have a job of a kind done; an open one with the same key is returned as it is.

    `wakes=False`: the caller runs the job itself (`run_now`); if it does not come to that, the clock finds the job.
    """
    kind = kind_of(name)
    with transaction.atomic():
        known = _known(kind, key)
        return known if known is not None else _created(kind, key, payload or {}, author, wakes=wakes)


def _known(kind: JobKind, key: str) -> Job | None:
    """The job that a request gets instead of a new one."""
    newest = Job.objects.filter(kind=kind.name, key=key).first()
    if newest is None or newest.state == JobState.DONE:
        return None
    if not newest.is_open:
        rest = timedelta(seconds=kind.rest_s)
        return newest if newest.ended_at and newest.ended_at > timezone.now() - rest else None
    if newest.state == JobState.RUNNING and kind.runs_again:
        is_running = Job.objects.filter(pk=newest.pk, state=JobState.RUNNING)
        if not is_running.update(is_requested_again=True):
            return None
    return newest


def _created(kind: JobKind, key: str, payload: dict[str, Any], author: str, *, wakes: bool) -> Job:
    now = timezone.now()
    try:
        with transaction.atomic():
            job = Job.objects.create(
                kind=kind.name, key=key, payload=payload, requested_at=now, requested_by=author, due_at=now
            )
    except IntegrityError:
        # Somebody requested it at the same moment.
        return Job.objects.get(kind=kind.name, key=key, state__in=OPEN_STATES)
    if wakes:
        wake_queue_on_commit(kind.queue)
    return job


@transaction.atomic
def cancel(job_id: int, *, author: str) -> Job:
    """Cancel a waiting job at once; ask the worker of a running one to stop.

    Raises `JobStateError` if it has ended, `Job.DoesNotExist` if there is none.
    """
    job = Job.objects.select_for_update().get(pk=job_id)
    if not job.is_open:
        raise JobStateError(job.state)
    job.cancelled_by = author
    if job.state == JobState.WAITING or job.is_lapsed:
        job.state, job.ended_at, job.claim, job.lapses_at = JobState.CANCELLED, timezone.now(), "", None
        job.save()
        kind_of(job.kind).on_state(job)
    else:
        job.save(update_fields=["cancelled_by"])
    return job


@transaction.atomic
def retry(job_id: int, *, author: str) -> Job:
    """Try a failed or cancelled job again, with all of its attempts.

    Raises `JobStateError` if it did not fail or is no longer the newest of its key.
    """
    job = Job.objects.select_for_update().get(pk=job_id)
    is_newest = not Job.objects.filter(kind=job.kind, key=job.key, pk__gt=job.pk).exists()
    if job.state not in ENDED_STATES or job.state == JobState.DONE or not is_newest:
        raise JobStateError(job.state)
    kind = kind_of(job.kind)
    now = timezone.now()
    job.state, job.requested_at, job.requested_by, job.due_at, job.ended_at = JobState.WAITING, now, author, now, None
    job.attempts, job.failure, job.error, job.cancelled_by = 0, JobFailure.NONE, "", ""
    job.stage, job.done, job.total = "", 0, 0
    job.save()
    kind.on_retry(job)
    wake_queue_on_commit(kind.queue)
    return job

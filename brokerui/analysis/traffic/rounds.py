"""Rounds of the pipeline: requested, cancelled, deleted. Doing them is another matter (working.py)."""

from __future__ import annotations

from django.db import IntegrityError, transaction
from django.utils import timezone

from brokerui.analysis.traffic.jobs import has_sources, inputs_digest
from brokerui.analysis.traffic.models import Round, RoundState
from brokerui.analysis.traffic.models.rounds import OPEN
from brokerui.core.jobs.errors import JobStateError
from brokerui.core.jobs.models import Job, JobFailure, JobState
from brokerui.core.jobs.requests import cancel, request
from brokerui.estate.audit import SYSTEM, audit
from brokerui.estate.audit_changes import changes_of, values_of

ROUND = "round"
"""The kind of background jobs that do rounds; there is one key, so that two never run at the same time."""
KEY = "pipeline"
IS_GENERATED = "is_generated"
"""In the payload of a job: its round generates the traffic."""
KEPT = 50


class NothingToTakeInError(Exception):
    """Neither an event log is written nor a folder of traffic named."""


def round_ask(*, author: str) -> Round:
    """Have a round done now; while one is open, the caller gets that one. Raises `NothingToTakeInError`."""
    if not has_sources():
        raise NothingToTakeInError
    return _asked(author, is_generated=False)


def round_ask_generated(*, author: str) -> Round:
    """Have a day of generated traffic tried on the live estate; while a round is open, the caller gets that one."""
    return _asked(author, is_generated=True)


@transaction.atomic
def _asked(author: str, *, is_generated: bool) -> Round:
    found, is_new = _open_or_new(author, is_generated=is_generated)
    if is_new:
        action = "pipeline.generate" if is_generated else "pipeline.run"
        audit(author=author, action=action, note=str(found), changes=changes_of(None, values_of(found, "state")))
    return found


def _open_or_new(author: str, *, is_generated: bool) -> tuple[Round, bool]:
    job = request(ROUND, KEY, {IS_GENERATED: is_generated}, author=author)
    known = Round.objects.filter(job=job, state__in=OPEN).first()
    if known is not None:
        return known, False
    try:
        with transaction.atomic():
            return round_create(job), True
    except IntegrityError:
        # Somebody asked at the same moment.
        return Round.objects.get(state=RoundState.WAITING), False


def round_open() -> Round | None:
    """Return the round that waits or runs; None if there is none."""
    return Round.objects.filter(state__in=OPEN).first()


def round_create(job: Job) -> Round:
    """A round that waits for the worker of its job."""
    now = timezone.now()
    is_generated = bool(job.payload.get(IS_GENERATED))
    about = {"asked_at": now, "asked_by": job.requested_by, "is_generated": is_generated}
    return Round.objects.create(state=RoundState.WAITING, job=job, **about)


@transaction.atomic
def round_cancel(*, number: int, author: str) -> bool:
    """Have a round end, with nothing half written. False if it is over already."""
    found = Round.objects.filter(pk=number, state__in=OPEN).exclude(job=None).first()
    if found is None or found.job_id is None:
        return False
    before = Job.objects.filter(pk=found.job_id).values("state", "cancelled_by").first()
    try:
        job = cancel(found.job_id, author=author)
    except JobStateError:
        return False
    changes = changes_of(before, values_of(job, "state", "cancelled_by"))
    audit(author=author, action="pipeline.cancel", note=str(found), changes=changes)
    return True


def round_follows(job: Job) -> None:
    """Bring the round in line with its job, which failed, was cancelled, or waits for another worker."""
    found = Round.objects.filter(job=job, state__in=OPEN)
    now = timezone.now()
    if job.state == JobState.WAITING:
        found.update(state=RoundState.WAITING, steps=[])
    elif job.state == JobState.CANCELLED:
        found.update(state=RoundState.CANCELLED, cancelled_by=job.cancelled_by, ended_at=now)
    elif job.state == JobState.FAILED:
        is_lost = job.failure == JobFailure.WORKER_LOST
        found.update(state=RoundState.INTERRUPTED if is_lost else RoundState.FAILED, ended_at=now)


def round_ask_if_new() -> None:
    """Have a round done if something is new since the last one that came to its end."""
    if not has_sources() or round_open() is not None:
        return
    done = Round.objects.filter(state=RoundState.DONE, is_generated=False).first()
    digest = inputs_digest()
    if digest and (done is None or done.inputs != digest):
        _open_or_new(SYSTEM, is_generated=False)


def rounds_prune() -> None:
    """Delete all rounds but the last of those that took in files, and of those that generated their traffic."""
    for is_generated in (False, True):
        rounds = Round.objects.filter(is_generated=is_generated)
        rounds.exclude(pk__in=list(rounds.values_list("pk", flat=True)[:KEPT])).delete()

"""Claiming jobs: each is done by one worker at a time."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from uuid import uuid4

from django.db import transaction
from django.db.models import F, Q, QuerySet
from django.utils import timezone

from brokerui.core.jobs.endings import give_up
from brokerui.core.jobs.kinds import kind_of
from brokerui.core.jobs.models import Job, JobState


def claimable(names: Sequence[str]) -> QuerySet[Job]:
    """Jobs of these kinds that wait and are due, and those whose worker sent no heartbeat for the lapse."""
    now = timezone.now()
    is_free = Q(state=JobState.WAITING, due_at__lte=now) | Q(state=JobState.RUNNING, lapses_at__lt=now)
    return Job.objects.filter(is_free, kind__in=names).order_by("due_at", "pk")


def claim_next(names: Sequence[str]) -> Job | None:
    """Claim the job of these kinds that is due longest; None if there is none."""
    while True:
        with transaction.atomic():
            job = claimable(names).select_for_update(skip_locked=True).first()
            if job is None:
                return None
            if _claim(job):
                return job


def claim_one(job_id: int) -> Job | None:
    """Claim this job; None if another worker has it or it is not due."""
    with transaction.atomic():
        job = Job.objects.filter(pk=job_id).first()
        if job is None:
            return None
        job = claimable([job.kind]).select_for_update(skip_locked=True).filter(pk=job_id).first()
        return job if job is not None and _claim(job) else None


def _claim(job: Job) -> bool:
    """Return False where the job ends instead, or where another worker was faster (SQLite locks no rows)."""
    kind, now, token = kind_of(job.kind), timezone.now(), uuid4().hex
    if job.state == JobState.RUNNING and (job.cancelled_by or job.attempts >= kind.max_attempts):
        give_up(job)
        return False
    as_found = Job.objects.filter(pk=job.pk, state=job.state, claim=job.claim)
    is_mine = as_found.update(
        state=JobState.RUNNING,
        claim=token,
        started_at=now,
        lapses_at=now + timedelta(seconds=kind.lapse_s),
        attempts=F("attempts") + 1,
        stage="",
        done=0,
        total=0,
    )
    if is_mine:
        job.refresh_from_db()
    return bool(is_mine)

"""Reading jobs for those who look after them."""

from __future__ import annotations

from django.db.models import Exists, OuterRef

from brokerui.core.jobs.models import Job, JobState


def jobs_failed(limit: int) -> list[Job]:
    """Jobs that failed and were not requested again since, the newest first."""
    newer = Job.objects.filter(kind=OuterRef("kind"), key=OuterRef("key"), pk__gt=OuterRef("pk"))
    return list(Job.objects.filter(~Exists(newer), state=JobState.FAILED)[:limit])

"""Deleting jobs that ended long ago."""

from __future__ import annotations

from datetime import timedelta

from django.utils import timezone

from brokerui.core.jobs.models import ENDED_STATES, Job

KEPT_DAYS = 30
KEPT_PER_KIND = 50


def jobs_prune() -> int:
    """Delete ended jobs that are older than `KEPT_DAYS` or not among the newest of their kind; return how many."""
    ended = Job.objects.filter(state__in=ENDED_STATES)
    deleted = ended.filter(ended_at__lt=timezone.now() - timedelta(days=KEPT_DAYS)).delete()[0]
    for kind in ended.order_by().values_list("kind", flat=True).distinct():
        newest = list(ended.filter(kind=kind).values_list("pk", flat=True)[:KEPT_PER_KIND])
        deleted += ended.filter(kind=kind).exclude(pk__in=newest).delete()[0]
    return deleted

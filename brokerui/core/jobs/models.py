"""Background jobs, as the database holds them."""

from __future__ import annotations

from datetime import timedelta

from django.db import models
from django.db.models import Q
from django.utils import timezone

KIND_LENGTH = 40
KEY_LENGTH = 200
CLAIM_LENGTH = 32
"""A UUID, in hex digits."""
AUTHOR_LENGTH = 150


class JobState(models.TextChoices):
    """Where a job stands."""

    WAITING = "waiting"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"


OPEN_STATES = (JobState.WAITING, JobState.RUNNING)
"""There is one open job at most of each kind and key."""
ENDED_STATES = (JobState.DONE, JobState.FAILED, JobState.CANCELLED)


class JobFailure(models.TextChoices):
    """Why a job failed."""

    NONE = ""
    RAISED = "raised"
    """Its last attempt raised an exception: `error` is its line."""
    WORKER_LOST = "worker_lost"
    """The worker of its last attempt ended before the job did."""


class Job(models.Model):
    """One piece of work for a worker."""

    kind = models.CharField(max_length=KIND_LENGTH)
    """Name of a registered `JobKind`."""
    key = models.CharField(max_length=KEY_LENGTH)
    """The subject of the job; a second request for it gets the open job."""
    payload = models.JSONField(default=dict)
    """The input of the kind for the job."""
    requested_at = models.DateTimeField()
    requested_by = models.CharField(max_length=AUTHOR_LENGTH, blank=True)
    """Empty: a page or the clock."""
    state = models.CharField(max_length=9, choices=JobState, default=JobState.WAITING)
    due_at = models.DateTimeField()
    """No worker claims a waiting job before then."""
    started_at = models.DateTimeField(null=True)
    """When the last attempt began."""
    ended_at = models.DateTimeField(null=True)
    claim = models.CharField(max_length=CLAIM_LENGTH, blank=True)
    """Token of the worker that runs the job: a worker with another token cannot write to it."""
    lapses_at = models.DateTimeField(null=True)
    """From then on another worker may claim a running job. Each heartbeat of its worker moves it."""
    attempts = models.PositiveSmallIntegerField(default=0)
    """Attempts that began."""
    stage = models.CharField(max_length=40, blank=True)
    done = models.PositiveBigIntegerField(default=0)
    total = models.PositiveBigIntegerField(default=0)
    """Units of the stage; 0: unknown."""
    failure = models.CharField(max_length=12, choices=JobFailure, blank=True)
    error = models.TextField(blank=True)
    """One line about the last attempt that failed. The log has its traceback."""
    cancelled_by = models.CharField(max_length=AUTHOR_LENGTH, blank=True)
    """Set on a running job, it asks the worker to stop."""
    is_requested_again = models.BooleanField(default=False)
    """Requested while it ran: it runs once more afterwards."""

    class Meta:
        ordering = ["-id"]
        constraints = [
            models.CheckConstraint(condition=Q(state__in=JobState.values), name="job_state"),
            models.UniqueConstraint(fields=["kind", "key"], condition=Q(state__in=OPEN_STATES), name="job_once"),
        ]
        indexes = [
            models.Index(fields=["state", "due_at"], name="job_due"),
            models.Index(fields=["kind", "key", "-id"], name="job_newest"),
        ]

    def __str__(self) -> str:
        return f"job {self.pk} ({self.kind} {self.key})"

    @property
    def is_open(self) -> bool:
        """Whether it waits or runs."""
        return self.state in OPEN_STATES

    @property
    def is_lapsed(self) -> bool:
        """Whether it runs on a worker that sends no heartbeats any more."""
        return self.state == JobState.RUNNING and (self.lapses_at is None or self.lapses_at < timezone.now())

    def is_late(self, after: timedelta) -> bool:
        """Whether no worker has claimed it for that long although it was due."""
        return self.state == JobState.WAITING and timezone.now() - self.due_at > after

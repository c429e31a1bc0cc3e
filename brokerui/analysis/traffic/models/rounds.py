"""A round of the pipeline: ingests new events and traffic, runs the jobs, and loads their results."""

from __future__ import annotations

from django.db import models
from django.db.models import Q

from brokerui.core.jobs.models import Job
from brokerui.estate.models.versions import AUTHOR

TOKEN = 64


class RoundState(models.TextChoices):
    """Where a round stands."""

    WAITING = "waiting"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"
    INTERRUPTED = "interrupted"


OPEN = (RoundState.WAITING, RoundState.RUNNING)
"""States that at most one round each can have."""


class Round(models.Model):
    """One after the other: two never run at the same time."""

    asked_at = models.DateTimeField()
    asked_by = models.CharField(max_length=AUTHOR)
    is_generated = models.BooleanField(default=False)
    """It generates a day of traffic for the live estate, in place of taking in files."""
    state = models.CharField(max_length=11, choices=RoundState)
    began_at = models.DateTimeField(null=True)
    ended_at = models.DateTimeField(null=True)
    job = models.ForeignKey(Job, on_delete=models.SET_NULL, null=True, related_name="+")
    """The background job that does it; null: it was over before there were any, or the job was pruned."""
    cancelled_by = models.CharField(max_length=AUTHOR, blank=True)
    """User who requested the cancellation; the worker carries it out."""
    steps = models.JSONField(default=list)
    """The finished steps and the current one, as objects of `name`, `stage`, `rows`, `seconds` and, once the step is
    over, `in`, `out` and `quarantined`, and `run`: the result that was loaded; or `error`: the line that says why it
    failed."""
    log = models.TextField(blank=True)
    """The last lines that its jobs said."""
    error = models.TextField(blank=True)
    """The error in one line."""
    inputs = models.CharField(max_length=TOKEN, blank=True)
    """Digest of the files that it found, and of the estate: an equal one finds nothing new."""

    class Meta:
        ordering = ["-id"]
        constraints = [
            models.CheckConstraint(condition=Q(state__in=RoundState.values), name="round_state"),
            models.UniqueConstraint(fields=["state"], condition=Q(state__in=OPEN), name="round_one_at_a_time"),
        ]

    def __str__(self) -> str:
        return f"round {self.pk} of the pipeline"

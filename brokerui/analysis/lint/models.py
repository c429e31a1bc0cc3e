"""Tables of lint: the findings in an estate at a moment, and the findings that somebody answers for."""

from __future__ import annotations

from django.db import models
from django.db.models import Q

from brokerui.estate.models.base import QUEUE_NAME, SERVICE_NAME, SYSNAME
from brokerui.estate.models.versions import AUTHOR
from routing.common.finding import SEVERITIES

KEY = 64
"""`viewed.key`: SHA-256, in hex digits."""
MOMENT = 40
CODE = 50
SEVERITY = 7
REASON = 500


class LintRun(models.Model):
    """One look at one estate; never changed afterwards."""

    key = models.CharField(max_length=KEY)
    """The content that was looked at."""
    moment = models.CharField(max_length=MOMENT, blank=True)
    """The moment that was asked for, as ISO 8601; empty: whenever it is looked at."""
    evaluated_at = models.DateTimeField()
    """The moment at which routes counted as expired or not."""
    seconds = models.FloatField()
    """How long it took."""
    errors = models.PositiveIntegerField()
    warnings = models.PositiveIntegerField()
    infos = models.PositiveIntegerField()
    missing = models.JSONField(default=list)
    """The addresses that routes lead to and that belong to no instance."""

    class Meta:
        ordering = ["-id"]
        indexes = [models.Index(fields=["key", "moment", "-id"], name="lint_run_key")]

    def __str__(self) -> str:
        return f"{self.key[:8]} at {self.evaluated_at}"


class LintFinding(models.Model):
    """A finding of a run, with the names of `routing.common.finding.Finding`."""

    run = models.ForeignKey(LintRun, on_delete=models.CASCADE, related_name="findings")
    position = models.PositiveIntegerField()
    """Worst first."""
    code = models.CharField(max_length=CODE)
    severity = models.CharField(max_length=SEVERITY)
    # Names are as long as the estate lets them be; null is "about no such thing", which no name is.
    instance = models.TextField(null=True)
    database = models.TextField(null=True)
    object = models.TextField(null=True)
    reason = models.TextField()
    """A sentence as JSON (sentences.py)."""
    remedy_sql = models.TextField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["run", "position"], name="lint_finding_position"),
            models.CheckConstraint(condition=Q(severity__in=SEVERITIES), name="lint_finding_severity"),
        ]

    def __str__(self) -> str:
        return f"{self.code} {self.object}"


class Suppression(models.Model):
    """A finding of the live estate that somebody answers for, until a day."""

    code = models.CharField(max_length=CODE)
    instance = models.CharField(max_length=SERVICE_NAME, blank=True)
    """Empty, as the two below: it is about no such thing."""
    database = models.CharField(max_length=SYSNAME, blank=True)
    object = models.CharField(max_length=QUEUE_NAME, blank=True)
    owner = models.CharField(max_length=AUTHOR)
    """The person responsible."""
    reason = models.CharField(max_length=REASON)
    expires = models.DateTimeField()
    created_at = models.DateTimeField()
    author = models.CharField(max_length=AUTHOR)
    """User who wrote it."""

    class Meta:
        ordering = ["expires", "id"]
        constraints = [
            models.UniqueConstraint(fields=["code", "instance", "database", "object"], name="lint_suppression_once"),
        ]

    def __str__(self) -> str:
        return f"{self.code} {self.object}"

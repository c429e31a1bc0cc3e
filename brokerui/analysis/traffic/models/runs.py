"""A run of the pipeline whose result was loaded, and its files."""

from __future__ import annotations

from typing import Any

from django.db import models

DIGEST = 64
"""SHA-256, in hex digits."""
WORD = 40
"""Kinds, verdicts, names of jobs and tables."""


class Run(models.Model):
    """One run of a job whose result was loaded. A result is there with all of its rows, or not at all."""

    digest = models.CharField(max_length=DIGEST, unique=True)
    """Digest of its run record, so that the same result is loaded only once."""
    job = models.CharField(max_length=WORD)
    is_generated = models.BooleanField(default=False)
    """Its traffic was generated: it says nothing of what applications sent."""
    folder = models.TextField()
    """Where the result was when it was loaded."""
    started_at = models.DateTimeField()
    seconds = models.FloatField()
    """How long the job took."""
    rows_in = models.BigIntegerField()
    rows_out = models.BigIntegerField()
    quarantined = models.BigIntegerField()
    record = models.JSONField()
    """All that the job recorded: arguments, inputs, reasons, phases, versions."""
    loaded_at = models.DateTimeField()
    load_seconds = models.FloatField()
    """How long the loading took."""

    class Meta:
        ordering = ["-started_at", "-id"]
        indexes = [models.Index(fields=["job", "-started_at"], name="run_of_job")]

    def __str__(self) -> str:
        return f"{self.job} of {self.started_at.isoformat(sep=' ', timespec='seconds')}"

    def as_json(self) -> dict[str, Any]:
        """Return the run as the command prints it."""
        return {"run": self.pk, "job": self.job, "started": self.started_at.isoformat(), "folder": self.folder}


class OfRun(models.Model):
    """A row of a run."""

    run = models.ForeignKey(Run, on_delete=models.CASCADE, db_index=False, related_name="+")

    class Meta:
        abstract = True

    def __str__(self) -> str:
        return f"{type(self).__name__} {self.pk}"


class File(OfRun):
    """A file of a result: what a table was made of. Those of `rows` stay where they are."""

    table = models.CharField(max_length=WORD)
    path = models.TextField()
    """Below the folder of the run."""
    rows = models.BigIntegerField()
    bytes = models.BigIntegerField()
    sha256 = models.CharField(max_length=DIGEST, blank=True)

    class Meta:
        indexes = [models.Index(fields=["run", "table"], name="file_of_run")]

"""The results of the pipeline: each run with its files, and the rows of its tables."""

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
    """Of its record, which holds the digests of what was loaded: the same result is loaded once."""
    job = models.CharField(max_length=WORD)
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
        """What the command says of it."""
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


class Weighed(OfRun):
    """A row that stands for so much traffic."""

    rows = models.BigIntegerField()
    messages = models.BigIntegerField()
    bytes = models.BigIntegerField()

    class Meta:
        abstract = True


class OfClass(Weighed):
    """A row of one class of traffic: what the rules look at."""

    from_instance = models.TextField()
    from_database = models.TextField(null=True)
    to_service = models.TextField()
    to_broker_instance = models.TextField(null=True)
    is_reply = models.BooleanField()
    verdict = models.CharField(max_length=WORD)

    class Meta:
        abstract = True


class Met(OfClass):
    """What a class met (`route`): all its outcomes."""

    outcomes = models.JSONField()

    class Meta:
        indexes = [models.Index(fields=["run", "-messages"], name="met_by_weight")]


class Change(OfClass):
    """A class that ends otherwise under the proposed routes (`replay`)."""

    before = models.JSONField()
    after = models.JSONField()
    kind = models.CharField(max_length=WORD)

    class Meta:
        indexes = [models.Index(fields=["run", "-messages"], name="change_by_weight")]


class Link(Weighed):
    """What flows from an entry point to an end: a link of a Sankey diagram."""

    side = models.CharField(max_length=WORD)
    """`met`; of a replay `before` or `after`."""
    from_instance = models.TextField()
    from_database = models.TextField(null=True)
    outcome = models.CharField(max_length=WORD)
    instance = models.TextField()
    database = models.TextField(null=True)
    reason = models.TextField(null=True)
    address = models.TextField(null=True)
    is_certain = models.BooleanField()

    class Meta:
        indexes = [models.Index(fields=["run", "side"], name="link_of_side")]


TABLES: dict[str, type[OfRun]] = {"outcomes": Met, "differential": Change, "flow_matrix": Link}
"""The tables of a result that are loaded; their columns are the fields of the model, by name."""

"""An import on its way: the files as they came, what they would change, and what became of it."""

from __future__ import annotations

from django.db import models
from django.db.models import Q

from brokerui.core.jobs.models import Job, JobState
from brokerui.estate.models.base import SERVICE_NAME, SYSNAME
from brokerui.estate.models.versions import AUTHOR, Version

NAME = 255
TOKEN = 64
ENCODING = 40
ADDRESSES = 2_000


class ImportState(models.TextChoices):
    """Where an import stands."""

    UPLOADED = "uploaded"
    READING = "reading"
    PREVIEWED = "previewed"
    APPLYING = "applying"
    APPLIED = "applied"
    FAILED = "failed"
    DISCARDED = "discarded"


DUE = (ImportState.READING, ImportState.APPLYING)
"""States in which a worker has something to do."""
OPEN = (ImportState.UPLOADED, ImportState.READING, ImportState.PREVIEWED, ImportState.APPLYING, ImportState.FAILED)
"""States in which the files are kept."""
ENDED = (ImportState.APPLIED, ImportState.DISCARDED)


class Phase(models.TextChoices):
    """The step that the job is in."""

    WAITING = ""
    READING = "reading"
    COMPARING = "comparing"
    OUTCOMES = "outcomes"
    FINDINGS = "findings"
    KEEPING = "keeping"
    APPLYING = "applying"


class ImportRun(models.Model):
    """One import."""

    created_at = models.DateTimeField()
    author = models.CharField(max_length=AUTHOR)
    token = models.CharField(max_length=TOKEN, unique=True)
    """Token of the form that it came with, so that a form that is sent twice makes one import."""
    state = models.CharField(max_length=10, choices=ImportState)
    mode = models.CharField(max_length=10, default="instances")
    """`sources.Mode`; empty: as the scripts ask for it."""
    variables = models.TextField(blank=True)
    """The sqlcmd variables of its scripts, `NAME=VALUE` in each line."""
    note = models.TextField(blank=True)
    applied_by = models.CharField(max_length=AUTHOR, blank=True)
    base_version = models.PositiveIntegerField(default=0)
    """The version that the preview is about; 0: nothing was ever written."""
    job = models.ForeignKey(Job, on_delete=models.SET_NULL, null=True, related_name="+")
    """The background job of its last step; null: it had none yet, or the job was pruned."""
    error = models.TextField(blank=True)
    """The error as a sentence in JSON; `error_where` and `error_path` name its place."""
    error_where = models.TextField(blank=True)
    error_path = models.TextField(blank=True)
    error_code = models.CharField(max_length=20, blank=True)
    """Empty: something in a file; `conflict`: the estate changed meanwhile; `server_error`: a fault of ours."""
    unattended = models.BooleanField(default=False)
    """Sent by a program: the files are applied without a preview."""
    dry_run = models.BooleanField(default=False)
    """For an unattended import: nothing is written; it is over once it has its answer."""
    at = models.DateTimeField(null=True)
    """From when LIFETIME counts; null: from when it is read."""
    is_based = models.BooleanField(default=False)
    """For an unattended import: whether it is applied to `base_version` only."""
    answer = models.TextField(blank=True)
    """The answer to the program that sent the import, as JSON (answer.py)."""
    summary = models.TextField(blank=True)
    """The preview as the page shows it, as JSON (preview.py)."""
    version = models.ForeignKey(Version, on_delete=models.PROTECT, null=True, related_name="+")
    """That it made; null where it changed nothing, too."""
    ended_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["-id"]
        constraints = [models.CheckConstraint(condition=Q(state__in=ImportState.values), name="intake_run_state")]

    def __str__(self) -> str:
        return f"import {self.pk}"

    @property
    def is_claimed(self) -> bool:
        """Whether a worker is at it."""
        return self.job is not None and self.job.state == JobState.RUNNING

    @property
    def phase(self) -> str:
        """The `Phase` that its worker is at."""
        return self.job.stage if self.job is not None and self.is_claimed else ""

    @property
    def done(self) -> int:
        """Units of the phase that are done; of `total`, which is 0 if that is unknown."""
        return self.job.done if self.job is not None and self.is_claimed else 0

    @property
    def total(self) -> int:
        return self.job.total if self.job is not None and self.is_claimed else 0


class ImportFile(models.Model):
    """A file of an import, with what it is taken for."""

    run = models.ForeignKey(ImportRun, on_delete=models.CASCADE, related_name="files")
    position = models.PositiveIntegerField()
    name = models.CharField(max_length=NAME)
    """As its sender calls it."""
    size = models.PositiveBigIntegerField()
    """Bytes before packing."""
    sha256 = models.CharField(max_length=64)
    content = models.BinaryField(null=True)
    """As it came, packed with zlib; null once the import has ended."""
    kind = models.CharField(max_length=10)
    """`sources.Kind`."""
    instance = models.CharField(max_length=SERVICE_NAME, blank=True)
    database = models.CharField(max_length=SYSNAME, blank=True)
    address = models.CharField(max_length=ADDRESSES, blank=True)
    """Addresses of its instance, separated by commas. Empty: those that its name and its endpoint give."""
    encoding = models.CharField(max_length=ENCODING, blank=True)
    """As somebody named it; empty: it is found out, or the file is refused."""

    class Meta:
        ordering = ["position"]
        constraints = [models.UniqueConstraint(fields=["run", "position"], name="intake_file_place")]

    def __str__(self) -> str:
        return self.name


class ImportResult(models.Model):
    """The whole result of the files; the page shows its beginning. All fields are packed with zlib."""

    run = models.OneToOneField(ImportRun, on_delete=models.CASCADE, related_name="result")
    document = models.BinaryField(null=True)
    """The estate; null once the import has ended."""
    imported = models.TextField()
    """The instances that were read anew, each with its file, as a JSON object."""
    changes = models.BinaryField()
    """Every row that comes, goes or changes, as JSON lines; so are the two below."""
    findings = models.BinaryField()
    groups = models.BinaryField()
    collected = models.BinaryField(null=True)
    """The messages and conversations of the catalogs, which are kept when the import is applied; null: nothing."""

    def __str__(self) -> str:
        return f"result of {self.run_id}"


class Origin(models.Model):
    """From which file an instance of the live estate was read last."""

    instance = models.CharField(max_length=SERVICE_NAME, unique=True)
    file = models.CharField(max_length=NAME)
    author = models.CharField(max_length=AUTHOR)
    version = models.PositiveIntegerField()
    at = models.DateTimeField()
    """As `imported_at` of the instance says: it was read otherwise since then where that says something else."""

    def __str__(self) -> str:
        return f"{self.instance} from {self.file}"

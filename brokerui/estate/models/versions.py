"""Versions of the live estate, the current one, and the audit of changes."""

from __future__ import annotations

from django.db import models
from django.db.models import F, Q

from brokerui.estate.models.base import between

AUTHOR = 150
"""As long as a user's name can be."""


class VersionKind(models.TextChoices):
    """How a version came about."""

    IMPORT = "import"
    EDIT = "edit"


class Version(models.Model):
    """The estate from one moment until the next version; never changed afterwards.

    It holds the whole document (a checkpoint), or the edits that made it from the version before.
    """

    number = models.PositiveIntegerField()
    """1, 2, …"""
    created_at = models.DateTimeField()
    """Later than that of the version before."""
    kind = models.CharField(max_length=10, choices=VersionKind)
    author = models.CharField(max_length=AUTHOR)
    note = models.TextField(blank=True)
    added = models.PositiveIntegerField()
    """Rows that this version added to the one before; `changed` and `removed` likewise."""
    changed = models.PositiveIntegerField()
    removed = models.PositiveIntegerField()
    document = models.BinaryField(null=True)
    """The canonical document, packed with zlib."""
    edits = models.BinaryField(null=True)
    """`routing.documents.edits_json` as JSON, packed with zlib."""
    checkpoint = models.PositiveIntegerField()
    """The last version until here that holds a document: this one is rebuilt from it."""
    weight = models.PositiveBigIntegerField()
    """Bytes of the edits since then, packed."""
    digest = models.CharField(max_length=64)
    """SHA-256 of the digest before and of what this version holds: it stands for the whole history until here."""

    class Meta:
        ordering = ["-number"]
        constraints = [
            models.UniqueConstraint(fields=["number"], name="estate_version_number"),
            models.CheckConstraint(condition=Q(number__gte=1), name="estate_version_positive"),
            models.CheckConstraint(
                condition=Q(document__isnull=False) | Q(edits__isnull=False), name="estate_version_content"
            ),
            models.CheckConstraint(
                condition=Q(document__isnull=False, checkpoint=F("number"))
                | Q(document__isnull=True, checkpoint__gte=1, checkpoint__lt=F("number")),
                name="estate_version_checkpoint",
            ),
            models.CheckConstraint(condition=Q(kind__in=VersionKind.values), name="estate_version_kind"),
        ]
        indexes = [models.Index(fields=["created_at"], name="estate_version_created")]

    def __str__(self) -> str:
        return f"version {self.number}"


class Live(models.Model):
    """The one row with the current version. A writer of the estate locks it first."""

    KEY = 1

    version = models.OneToOneField(Version, on_delete=models.PROTECT, null=True, related_name="+")
    """Null: nothing was ever written."""
    hop_limit = models.PositiveSmallIntegerField(default=10)
    """How often a message may be forwarded."""

    class Meta:
        constraints = [
            models.CheckConstraint(condition=Q(id=1), name="estate_live_one"),
            between("hop_limit", 0, 255, "estate_live_hop_limit"),
        ]

    def __str__(self) -> str:
        return "the live estate"


class AuditEntry(models.Model):
    """A change: user, action, moment and client address. Entries are only ever added."""

    at = models.DateTimeField()
    author = models.CharField(max_length=AUTHOR)
    address = models.GenericIPAddressField(null=True)
    """Address of the client; null for a command and for background work."""
    action = models.CharField(max_length=50)
    """The action, named after its service: `estate.import`, `estate.edit`, …"""
    note = models.TextField(blank=True)
    version = models.ForeignKey(Version, on_delete=models.PROTECT, null=True, related_name="entries")
    """The version that it led to; null where it changed nothing of the estate."""
    changes = models.JSONField(null=True)
    """Each field that it changed, with the value before and after: `[["role", "viewer", "editor"]]`. Null: the entry
    was written before values were kept."""

    class Meta:
        ordering = ["-at", "-id"]
        verbose_name_plural = "audit entries"
        indexes = [models.Index(fields=["at"], name="estate_audit_at")]

    def __str__(self) -> str:
        return f"{self.author}: {self.action}"

"""Collections of real servers: who brought them, when the server was asked, and the sums of each database."""

from __future__ import annotations

from django.db import models
from django.db.models import Q

from brokerui.estate.models.base import SERVICE_NAME, SYSNAME
from brokerui.estate.models.versions import AUTHOR


class CollectionSource(models.TextChoices):
    """How a collection came here."""

    IMPORTED = "imported"
    """With an import of the server's catalog."""
    PASTED = "pasted"
    """Rows that a person pasted, or a program sent."""


class Collection(models.Model):
    """One server as it was at one moment. The row is never changed; the oldest of a server are deleted."""

    server = models.CharField(max_length=SERVICE_NAME)
    collected_at = models.DateTimeField()
    """When the server was asked."""
    kept_at = models.DateTimeField()
    author = models.CharField(max_length=AUTHOR)
    source = models.CharField(max_length=10, choices=CollectionSource)
    product_version = models.CharField(max_length=SYSNAME, blank=True)
    events = models.BinaryField(null=True)
    """Errors of Service Broker in its log, packed JSON; null: no log was given."""
    digest = models.CharField(max_length=64)
    """SHA-256 of everything in it: the same rows sent twice are kept once."""
    is_latest = models.BooleanField(default=False)
    """Whether no later collection of its server is kept."""

    class Meta:
        ordering = ["-collected_at", "-id"]
        indexes = [
            models.Index(fields=["server", "-collected_at", "-id"], name="servers_collection_order"),
            models.Index(fields=["server"], name="servers_collection_latest", condition=Q(is_latest=True)),
        ]
        constraints = [
            models.UniqueConstraint(fields=["server", "digest"], name="servers_collection_once"),
            models.CheckConstraint(condition=Q(source__in=CollectionSource.values), name="servers_collection_source"),
        ]

    def __str__(self) -> str:
        return f"{self.server} at {self.collected_at}"


class CollectedDatabase(models.Model):
    """The sums of one database of a collection."""

    collection = models.ForeignKey(Collection, on_delete=models.CASCADE, related_name="databases")
    name = models.CharField(max_length=SYSNAME)
    messages = models.BigIntegerField(null=True)
    """That waited in its transmission queue; null: not collected."""
    states = models.JSONField(null=True)
    """Conversation endpoints by state; null: not collected."""
    left = models.BigIntegerField(default=0)
    """Conversations that will never close by themselves."""
    left_before = models.BigIntegerField(null=True)
    """As `left`, in the collection before; null: this is the first."""
    left_before_at = models.DateTimeField(null=True)
    worst = models.CharField(max_length=SERVICE_NAME, blank=True)
    """The service that leaves most of them over; empty: none does, or it was not collected."""
    content = models.BinaryField()
    """The sums, packed JSON (sums_json.py)."""
    has_latest_messages = models.BooleanField(default=False)
    """Whether no later collection has the transmission queue of this database."""
    has_latest_endpoints = models.BooleanField(default=False)

    class Meta:
        ordering = ["name"]
        constraints = [models.UniqueConstraint(fields=["collection", "name"], name="servers_database_once")]
        indexes = [
            models.Index(fields=["collection"], name="servers_latest_messages", condition=Q(has_latest_messages=True)),
            models.Index(
                fields=["collection"], name="servers_latest_endpoints", condition=Q(has_latest_endpoints=True)
            ),
        ]

    def __str__(self) -> str:
        return f"{self.name} of {self.collection_id}"

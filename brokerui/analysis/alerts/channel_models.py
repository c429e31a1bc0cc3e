"""Tables of channels and deliveries."""

from __future__ import annotations

from django.db import models
from django.db.models import Q

from brokerui.estate.models.versions import AUTHOR
from routing.common.finding import SEVERITIES

KIND, NAME, TARGET, SEVERITY = 9, 80, 500, 7
ERROR_CHARS = 500
UUID = 36


class ChannelKind(models.TextChoices):
    """How messages about alerts are sent."""

    EMAIL = "email"
    WEBHOOK = "webhook"
    MESSENGER = "messenger"


class AlertChannel(models.Model):
    """A way to people or programs."""

    kind = models.CharField(max_length=KIND, choices=ChannelKind)
    name = models.CharField(max_length=NAME, unique=True)
    target = models.CharField(max_length=TARGET)
    """E-mail addresses, by commas; of a webhook its host, of a messenger its service: URLs may hold secrets."""
    place = models.CharField(max_length=UUID, unique=True)
    """Random: the sealed values are bound to it."""
    sealed = models.BinaryField(null=True)
    """URL and secret of a webhook, URL of a messenger, encrypted with the secret of the deployment; null: none."""
    severity = models.CharField(max_length=SEVERITY)
    """The least severity of the alerts that it gets."""
    is_on = models.BooleanField(default=True)
    author = models.CharField(max_length=AUTHOR)
    changed_at = models.DateTimeField()

    class Meta:
        ordering = ["name"]
        constraints = [
            models.CheckConstraint(condition=Q(kind__in=ChannelKind.values), name="alerts_channel_kind"),
            models.CheckConstraint(condition=Q(severity__in=SEVERITIES), name="alerts_channel_severity"),
        ]

    def __str__(self) -> str:
        return self.name


class AlertDelivery(models.Model):
    """One message to one channel: sent at least once, each time with the same key."""

    key = models.CharField(max_length=UUID, unique=True)
    channel = models.ForeignKey(AlertChannel, on_delete=models.CASCADE, related_name="deliveries")
    content = models.JSONField()
    """The body, without the moment of sending."""
    is_test = models.BooleanField(default=False)
    made_at = models.DateTimeField()
    due_at = models.DateTimeField(null=True)
    """When it is sent next, or again if the worker that sends it is lost; null: it has ended."""
    attempts = models.PositiveSmallIntegerField(default=0)
    sent_at = models.DateTimeField(null=True)
    error = models.TextField(blank=True)
    """The last failure: a sentence as JSON (`core/sentence_json.py`)."""

    class Meta:
        ordering = ["-id"]
        indexes = [
            models.Index(fields=["due_at"], name="alerts_delivery_due", condition=Q(due_at__isnull=False)),
            models.Index(fields=["channel", "-id"], name="alerts_delivery_channel"),
        ]

    def __str__(self) -> str:
        return f"{self.key} to {self.channel_id}"

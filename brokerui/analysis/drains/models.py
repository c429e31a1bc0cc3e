"""Drains: messages of one cause after an act, with the time that was estimated and the time that it took."""

from __future__ import annotations

from django.db import models

from brokerui.estate.models.versions import AUTHOR
from brokerui.messaging.models.base import QUEUE_NAME, SERVICE_NAME, SYSNAME, Name


class DrainKind(models.TextChoices):
    """Where the messages wait."""

    WAY = "way"
    """In the transmission queue of their sender, for a service."""
    QUEUE = "queue"
    """Where they arrived, for a queue."""


class DrainAct(models.TextChoices):
    """The act that lets them flow."""

    RETRY = "retry"
    VERSION = "version"
    SWITCH_ON = "switch_on"


class Drain(models.Model):
    """Messages that flow, or flowed. Moments are milliseconds since 1970, UTC."""

    kind = models.CharField(max_length=5, choices=DrainKind)
    act = models.CharField(max_length=10, choices=DrainAct)
    instance = Name(max_length=SERVICE_NAME)
    database = Name(max_length=SYSNAME)
    subject = Name(max_length=max(SERVICE_NAME, QUEUE_NAME))
    """The service or the queue that the messages are for."""
    author = models.CharField(max_length=AUTHOR)
    version = models.IntegerField(null=True)
    """The version of the estate that mended the way."""
    began_at = models.BigIntegerField()
    messages = models.BigIntegerField()
    """That waited at the beginning."""
    estimate_s = models.IntegerField(null=True)
    """Seconds that it should take; NULL: no rate was known."""
    left = models.BigIntegerField()
    """Messages that wait, at the last look."""
    left_at = models.BigIntegerField()
    """When fewer of them waited than before."""
    ended_at = models.BigIntegerField(null=True)
    """When nothing waited any more, or nothing had moved for minutes; NULL: it is watched."""
    is_well = models.BooleanField(null=True)
    """Whether routing delivers the next message, too; NULL: that was not checked yet."""

    class Meta:
        indexes = [models.Index(fields=["ended_at"], name="drains_ended")]

    def __str__(self) -> str:
        return f"{self.instance}/{self.database} {self.subject}: {self.left} of {self.messages}"

"""Counters and samples per minute and hour, and exceptional events. Moments are milliseconds since 1970, UTC."""

from __future__ import annotations

from django.db import models

from brokerui.messaging.models.base import QUEUE_NAME, SERVICE_NAME, SYSNAME, Guid, Name

MINUTE, HOUR = 60, 3600
"""Seconds that a row stands for."""
FINGERPRINT = 32
NAME = 400
"""Characters of a sample's name: a longer key would not fit into an index."""


class _Counted(models.Model):
    """Counts of one kind of event."""

    instance = Name(max_length=SERVICE_NAME)
    event_class = models.SmallIntegerField()
    event_subclass = models.SmallIntegerField()
    """0: the event has none."""
    database = Name(max_length=SYSNAME, blank=True)
    """Empty: none is known."""
    error = models.IntegerField()
    """The product's number; 0: none."""
    events = models.BigIntegerField()
    messages = models.BigIntegerField()
    bytes = models.BigIntegerField()

    class Meta:
        abstract = True

    def __str__(self) -> str:
        return f"{self.instance} {self.event_class}.{self.event_subclass}: {self.events}"


class EventCount(_Counted):
    """How many there were in a minute, or (older ones) in an hour."""

    pk = models.CompositePrimaryKey("seconds", "at", "instance", "event_class", "event_subclass", "database", "error")
    seconds = models.SmallIntegerField()
    at = models.BigIntegerField()
    """When the minute or hour began."""

    class Meta:
        db_table = "event_counts"


class EventTotal(_Counted):
    """Totals since the first event, which only grow: monitoring systems compute rates from them."""

    pk = models.CompositePrimaryKey("instance", "event_class", "event_subclass", "database", "error")

    class Meta:
        db_table = "event_totals"


class Sampled(models.Model):
    """A figure as it was looked at in a minute, or (older ones) at its highest in an hour."""

    pk = models.CompositePrimaryKey("seconds", "at", "kind", "instance", "database", "name", "error")
    seconds = models.SmallIntegerField()
    at = models.BigIntegerField()
    kind = models.SmallIntegerField()
    """`samples.OfSample`."""
    instance = Name(max_length=SERVICE_NAME)
    database = Name(max_length=SYSNAME, blank=True)
    name = Name(max_length=NAME, blank=True)
    """The queue; of a mirrored route its addresses, service and identifier, as far as they fit."""
    error = models.IntegerField()
    """Why conversations wait; 0: for an acknowledgement, or for the first attempt."""
    depth = models.BigIntegerField()
    oldest_age_ms = models.BigIntegerField(null=True)
    """NULL: there is none."""
    role = Name(max_length=SERVICE_NAME, blank=True)
    """PRINCIPAL or MIRROR for a mirrored database, the principal's address for a mirrored route."""

    class Meta:
        db_table = "event_samples"

    def __str__(self) -> str:
        return f"{self.instance} {self.database} {self.name}: {self.depth}"


class ExceptionalEvent(models.Model):
    """Events that an operator should see, alike in all but moment and conversation, of one hour."""

    hour = models.BigIntegerField()
    """When it began."""
    fingerprint = models.CharField(max_length=FINGERPRINT)
    """Stands for what makes them alike."""
    event_class = models.SmallIntegerField()
    event_subclass = models.SmallIntegerField()
    instance = Name(max_length=SERVICE_NAME)
    """ServerName."""
    host_name = Name(max_length=SERVICE_NAME)
    """The machine that told the first one."""
    database_name = Name(max_length=SYSNAME, blank=True)
    error = models.IntegerField()
    """The product's number; 0: none."""
    target = Name(max_length=max(SERVICE_NAME, QUEUE_NAME), blank=True)
    """A service, a queue or a peer."""
    address = Name(max_length=SERVICE_NAME, blank=True)
    text_data = models.TextField(blank=True)
    occurrences = models.BigIntegerField()
    first_at = models.BigIntegerField()
    last_at = models.BigIntegerField()
    conversation_id = Guid(blank=True)
    """Conversation of one of the events."""
    conversation_handle = Guid(blank=True)

    class Meta:
        db_table = "exceptional_events"
        constraints = [
            models.UniqueConstraint(fields=["hour", "fingerprint"], name="exceptional_events_once"),
        ]
        indexes = [
            models.Index(fields=["-last_at", "-id"], name="exceptional_events_latest"),
            models.Index(fields=["conversation_id", "-last_at", "-id"], name="exceptional_events_of_dialog"),
            models.Index(fields=["event_class", "-last_at", "-id"], name="exceptional_events_of_class"),
            models.Index(fields=["error", "-last_at", "-id"], name="exceptional_events_of_error"),
            models.Index(fields=["instance", "database_name", "-last_at", "-id"], name="exceptional_events_of_place"),
        ]

    def __str__(self) -> str:
        return f"{self.instance} {self.event_class}.{self.event_subclass}: {self.occurrences}"

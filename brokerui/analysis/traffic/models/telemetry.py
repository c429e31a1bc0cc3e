"""Results of `telemetry` from an event log, by minute and by hour."""

from __future__ import annotations

from django.db import models

from brokerui.analysis.traffic.models.runs import WORD, OfRun


class OfSpan(OfRun):
    """A row of one minute or of one hour."""

    span = models.CharField(max_length=WORD)
    """`minute` or `hour`."""
    since = models.DateTimeField()
    instance = models.TextField()

    class Meta:
        abstract = True
        indexes = [models.Index(fields=["run", "span", "since"], name="%(class)s_in_time")]


class Depth(OfSpan):
    """How much was in a queue at the end of a span, and at most."""

    database = models.TextField(null=True)
    is_transmission_queue = models.BooleanField()
    queue = models.TextField(null=True)
    depth = models.BigIntegerField(null=True)
    depth_max = models.BigIntegerField(null=True)
    oldest_age_ms = models.BigIntegerField(null=True)


class Waiting(OfSpan):
    """How many conversations of a database waited for one cause."""

    database = models.TextField(null=True)
    error = models.IntegerField(null=True)
    """NULL: for an acknowledgement, or for the first attempt."""
    conversations = models.BigIntegerField(null=True)
    conversations_max = models.BigIntegerField(null=True)


class Attempts(OfSpan):
    """Messages that left for the first time, and again."""

    database = models.TextField(null=True)
    sent = models.BigIntegerField(null=True)
    sent_again = models.BigIntegerField(null=True)
    attempts_max = models.IntegerField(null=True)


class Episode(OfRun):
    """A time for which one side of a conversation was delayed, and what ended it."""

    instance = models.TextField()
    database = models.TextField(null=True)
    conversation_id = models.TextField(null=True)
    conversation_handle = models.TextField()
    is_initiator = models.BooleanField(null=True)
    from_service = models.TextField(null=True)
    to_service = models.TextField(null=True)
    to_broker_instance = models.TextField(null=True)
    began_at = models.DateTimeField()
    began_before = models.BooleanField()
    """The log begins later than the episode."""
    ended_at = models.DateTimeField(null=True)
    """NULL: not within the log."""
    milliseconds = models.BigIntegerField(null=True)
    cause = models.IntegerField()
    causes = models.JSONField()
    """All causes, in the order of time."""
    ended_by = models.CharField(max_length=WORD, null=True)
    route = models.TextField(null=True)
    """The way that the conversation took once it was not delayed any more: the remedy that was seen."""
    next_hop = models.TextField(null=True)

    class Meta:
        indexes = [models.Index(fields=["run", "cause", "began_at"], name="episode_by_cause")]


class Latency(OfSpan):
    """Quantiles of how long messages took."""

    kind = models.CharField(max_length=WORD)
    service = models.TextField(null=True)
    messages = models.BigIntegerField()
    p50_ms = models.BigIntegerField()
    p95_ms = models.BigIntegerField()
    p99_ms = models.BigIntegerField()
    max_ms = models.BigIntegerField()


class Drops(OfSpan):
    """Number of dropped, undeliverable and corrupted messages by reason."""

    database = models.TextField(null=True)
    event_class = models.IntegerField()
    error = models.IntegerField(null=True)
    drops = models.BigIntegerField()


class Connection(OfRun):
    """A connection from when it stood to when it was closed."""

    instance = models.TextField()
    connection_id = models.TextField()
    address = models.TextField(null=True)
    is_accepted = models.BooleanField()
    peer = models.TextField(null=True)
    opened_at = models.DateTimeField()
    closed_at = models.DateTimeField(null=True)
    milliseconds = models.BigIntegerField(null=True)

    class Meta:
        indexes = [models.Index(fields=["run", "opened_at"], name="connection_in_time")]


class ConnectionFailures(OfSpan):
    """Failures to connect, to send and to receive."""

    address = models.TextField(null=True)
    kind = models.CharField(max_length=WORD)
    failures = models.BigIntegerField()


class Uptime(OfRun):
    """Milliseconds of one hour in which at least one connection to a far end was open."""

    since = models.DateTimeField()
    instance = models.TextField()
    far = models.TextField(null=True)
    milliseconds = models.BigIntegerField()

    class Meta:
        indexes = [models.Index(fields=["run", "since"], name="uptime_in_time")]


class MirrorChange(OfRun):
    """Another partner of a mirrored route became principal, or none is."""

    at = models.DateTimeField()
    instance = models.TextField()
    to_service = models.TextField(null=True)
    to_broker_instance = models.TextField(null=True)
    address = models.TextField(null=True)
    mirror_address = models.TextField(null=True)
    state = models.IntegerField(null=True)
    principal = models.TextField(null=True)
    principal_before = models.TextField(null=True)

    class Meta:
        indexes = [models.Index(fields=["run", "at"], name="mirror_change_in_time")]


class RouteUse(OfSpan):
    """How often a route was chosen, and what went its way."""

    database = models.TextField(null=True)
    route = models.TextField()
    chosen = models.BigIntegerField()
    messages = models.BigIntegerField()
    bytes = models.BigIntegerField()
    sent_again = models.BigIntegerField()
    forwarded = models.BigIntegerField()
    dropped = models.BigIntegerField()


class UnusedRoute(OfRun):
    """A route of the estate that was not used for long."""

    instance = models.TextField()
    database = models.TextField()
    route = models.TextField()
    to_service = models.TextField(null=True)
    address = models.TextField()
    last_used = models.DateTimeField(null=True)
    """NULL: never in all of the log."""

    class Meta:
        indexes = [models.Index(fields=["run"], name="unused_route_of_run")]


class Hop(OfSpan):
    """How often messages came to where the routes said, and how often not."""

    next_hop = models.TextField()
    expected = models.TextField(null=True)
    verdict = models.CharField(max_length=WORD)
    predictions = models.BigIntegerField()


class Disagreement(OfRun):
    """A message that came elsewhere than its route said."""

    at = models.DateTimeField()
    instance = models.TextField()
    conversation_id = models.TextField(null=True)
    from_initiator = models.BooleanField(null=True)
    number = models.BigIntegerField(null=True)
    route = models.TextField(null=True)
    next_hop = models.TextField()
    expected = models.TextField()
    peer = models.TextField(null=True)
    """The instance that logged in at that address last."""
    told = models.JSONField()
    """The instances that told of the message."""

    class Meta:
        indexes = [models.Index(fields=["run", "at"], name="disagreement_in_time")]

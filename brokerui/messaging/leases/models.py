"""Tables of leases, stored responses, and usage counts for the audit."""

from __future__ import annotations

from django.contrib.auth.models import User
from django.db import models
from django.db.models import Q

from brokerui.messaging.models import HostedInstance
from brokerui.messaging.models.base import QUEUE_NAME, SYSNAME, Guid, Name, check

__all__ = ["Answer", "Lease", "LeaseState", "Use"]

USERNAME = User._meta.get_field("username").max_length or 150
TOKEN = 64


class LeaseState(models.TextChoices):
    """The state of a lease."""

    LEASED = "leased"
    COMMITTED = "committed"
    ROLLED_BACK = "rolled_back"
    LAPSED = "lapsed"


class Lease(models.Model):
    """Messages of one conversation group that were handed out. Until it ends, no other receive gets messages of the
    group.

    `brokerui.messaging.store.receiving` passes over groups that have one; so its columns compare as those there do.
    """

    receipt = Guid(primary_key=True)
    instance = models.ForeignKey(
        HostedInstance, on_delete=models.DO_NOTHING, db_constraint=False, db_index=False, related_name="+"
    )
    database = Name(max_length=SYSNAME)
    queue = Name(max_length=QUEUE_NAME)
    conversation_group_id = Guid()
    owner = models.CharField(max_length=USERNAME)
    """The only user who may commit it, or roll it back."""
    messages = models.JSONField()
    """Queuing order and handle of each message, in the order in which they were handed out. Empty once it has ended."""
    count = models.IntegerField()
    until = models.BigIntegerField()
    """Milliseconds since 1970: from then on it has lapsed, whatever its state says. Of one that has ended: when."""
    state = Name(max_length=11, choices=LeaseState.choices, default=LeaseState.LEASED)

    class Meta:
        db_table = "receive_leases"
        constraints = [
            models.UniqueConstraint(
                fields=["conversation_group_id", "instance"],
                condition=Q(state=LeaseState.LEASED),
                name="receive_leases_one_of_a_group",
            ),
            check("receive_leases_state", Q(state__in=LeaseState.values)),
        ]
        indexes = [
            # Which have lapsed, and which are old.
            models.Index(fields=["state", "until"], name="receive_leases_until"),
        ]

    def __str__(self) -> str:
        return self.receipt


class Answer(models.Model):
    """The response to a request with an Idempotency-Key, written in the transaction of its work."""

    token = models.CharField(max_length=TOKEN, primary_key=True)
    """Digest of user and key."""
    digest = models.CharField(max_length=TOKEN)
    """Digest of the request."""
    body = models.JSONField(null=True)
    at = models.DateTimeField(db_index=True)

    class Meta:
        db_table = "rest_answers"

    def __str__(self) -> str:
        return self.token


class Use(models.Model):
    """Number of uses of a verb by a user since its last entry in the audit; counted in parts, as those of queues
    are."""

    pk = models.CompositePrimaryKey("author", "verb", "instance", "slot")
    author = models.CharField(max_length=USERNAME)
    verb = models.CharField(max_length=20)
    instance = models.CharField(max_length=256)
    slot = models.SmallIntegerField()
    requests = models.BigIntegerField()
    messages = models.BigIntegerField()

    class Meta:
        db_table = "rest_uses"

    def __str__(self) -> str:
        return f"{self.author}: {self.verb}"

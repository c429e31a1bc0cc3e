"""Queues: their messages, whether they are on, and how full they are."""

from __future__ import annotations

from django.db import models
from django.db.models import Q

from brokerui.messaging.models.base import (
    QUEUE_NAME,
    SERVICE_NAME,
    SYSNAME,
    Guid,
    Name,
    OfInstance,
    check,
    not_negative,
)

SLOTS = 16
"""Parts of the count of a queue, so that transactions that commit at the same time do not wait for each other."""


class Queue(OfInstance):
    """A queue that was switched off, or on again, or whose receives were rolled back. Others are on."""

    pk = models.CompositePrimaryKey("instance", "database", "name")
    database = Name(max_length=SYSNAME)
    name = Name(max_length=QUEUE_NAME)
    is_receive_enabled = models.BooleanField(db_default=True)
    rollbacks = models.SmallIntegerField(db_default=0)
    """Rolled back transactions in a row that had received from it."""

    class Meta:
        db_table = "queue_states"
        constraints = [not_negative("queue_states_rollbacks", "rollbacks")]

    def __str__(self) -> str:
        return f"{self.database}: {self.name}"


class QueueCounter(OfInstance):
    """A part of the number of messages in a queue; the sum of the parts is the number, a part may be below 0."""

    pk = models.CompositePrimaryKey("queue_number", "slot")
    queue_number = models.BigIntegerField()
    slot = models.SmallIntegerField()
    database = Name(max_length=SYSNAME)
    queue = Name(max_length=QUEUE_NAME)
    messages = models.BigIntegerField()

    class Meta:
        db_table = "queue_counters"
        constraints = [check("queue_counters_slot", Q(slot__gte=0, slot__lt=SLOTS))]
        indexes = [models.Index(fields=["instance", "database", "queue"], name="queue_counters_of")]

    def __str__(self) -> str:
        return f"{self.database}: {self.queue}"


class QueueMessage(OfInstance):
    """A row of a queue, with the names of its columns."""

    queuing_order = models.BigAutoField(primary_key=True)
    queue_number = models.BigIntegerField()
    """Number of instance, database and queue: `brokerui.messaging.store.numbers.queue_number`."""
    status = models.SmallIntegerField()
    priority = models.SmallIntegerField()
    rank = models.SmallIntegerField()
    """Within a conversation a timer (0) comes before everything, an error (1) before the messages (2)."""
    conversation_group_id = Guid()
    conversation_handle = Guid()
    message_sequence_number = models.BigIntegerField()
    service_name = Name(max_length=SERVICE_NAME)
    service_contract_name = Name(max_length=SERVICE_NAME)
    message_type_name = Name(max_length=SERVICE_NAME)
    validation = Name(max_length=1)
    message_body = models.BinaryField(null=True)
    message_enqueue_time = models.BigIntegerField()

    class Meta:
        db_table = "queue_messages"
        constraints = [
            check("queue_messages_status", Q(status__gte=0, status__lte=3)),
            check("queue_messages_priority", Q(priority__gte=1, priority__lte=10)),
            check("queue_messages_rank", Q(rank__gte=0, rank__lte=2)),
            check("queue_messages_validation", Q(validation__in=["E", "N", "X"])),
            not_negative("queue_messages_numbers", "message_sequence_number"),
        ]
        indexes = [
            # Which group comes next, and which message is the oldest.
            models.Index(fields=["queue_number", "-priority", "queuing_order"], name="queue_messages_next"),
            # A group, conversation by conversation, each in its order.
            models.Index(
                fields=[
                    "conversation_group_id",
                    "conversation_handle",
                    "rank",
                    "message_sequence_number",
                    "queuing_order",
                    "instance",
                ],
                name="queue_messages_group",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.conversation_handle} {self.message_sequence_number}"


class RetainedMessage(OfInstance):
    """A row of a queue that stays there until its conversation ends (RETENTION): a message that was received (status
    0), or a copy of one that was sent (3). RECEIVE never looks here. What it says of the conversation stands in the
    endpoint."""

    pk = models.CompositePrimaryKey("conversation_handle", "queuing_order", "instance")
    conversation_handle = Guid()
    queuing_order = models.BigIntegerField()
    status = models.SmallIntegerField()
    message_sequence_number = models.BigIntegerField()
    message_type_name = Name(max_length=SERVICE_NAME)
    validation = Name(max_length=1)
    message_body = models.BinaryField(null=True)
    message_enqueue_time = models.BigIntegerField()

    class Meta:
        db_table = "retained_messages"
        constraints = [
            check("retained_messages_status", Q(status__in=[0, 3])),
            check("retained_messages_validation", Q(validation__in=["E", "N", "X"])),
            not_negative("retained_messages_numbers", "message_sequence_number"),
        ]

    def __str__(self) -> str:
        return f"{self.conversation_handle} {self.message_sequence_number}"

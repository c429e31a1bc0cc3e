"""Conversation endpoints and the groups that they are received in."""

from __future__ import annotations

from django.db import models
from django.db.models import F, Q

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
from routing.dialog.states import STATES


class ConversationEndpoint(OfInstance):
    """A row of sys.conversation_endpoints: one side of a conversation, with what the engine keeps besides.

    Its columns are the fields of `routing.dialog.endpoint.Endpoint`, which says what they mean.
    """

    pk = models.CompositePrimaryKey("conversation_handle", "instance")
    conversation_handle = Guid()
    conversation_id = Guid()
    is_initiator = models.BooleanField()
    database = Name(max_length=SYSNAME)
    service_name = Name(max_length=SERVICE_NAME)
    queue = Name(max_length=QUEUE_NAME)
    far_service = Name(max_length=SERVICE_NAME)
    far_broker_instance = Name(max_length=SYSNAME, null=True)
    service_contract_name = Name(max_length=SERVICE_NAME)
    conversation_group_id = Guid()
    lifetime = models.BigIntegerField()
    state = Name(max_length=2)
    priority = models.SmallIntegerField()
    encryption = models.BooleanField()
    send_sequence = models.BigIntegerField()
    transmitted = models.BigIntegerField()
    acknowledged_sequence = models.BigIntegerField()
    sending_sequence = models.BigIntegerField()
    receive_sequence = models.BigIntegerField()
    held = models.IntegerField()
    held_bytes = models.BigIntegerField()
    take_up_at = models.BigIntegerField(null=True)
    end_dialog_sequence = models.BigIntegerField(null=True)
    dialog_timer = models.BigIntegerField(null=True)
    security_timestamp = models.BigIntegerField(null=True)
    outgoing = models.BigIntegerField()
    transmission_status = models.IntegerField()
    attempts = models.IntegerField()
    next_attempt = models.BigIntegerField(null=True)
    ready_since = models.BigIntegerField(null=True)
    kept_route = Name(max_length=SYSNAME, null=True)
    kept_identifier = Name(max_length=SYSNAME, null=True)
    kept_database = Name(max_length=SYSNAME, null=True)
    integrity = models.SmallIntegerField()
    key_id = models.BinaryField(max_length=16)
    fragment_bytes = models.IntegerField(default=0)
    due = models.BigIntegerField(null=True)
    may_wait = models.BooleanField(db_default=True)

    class Meta:
        db_table = "conversation_endpoints"
        constraints = [
            # Two transactions that create the endpoint of a target at the same time: one of them writes nothing at all.
            models.UniqueConstraint(
                fields=["conversation_id", "is_initiator", "instance"], name="conversation_endpoints_side"
            ),
            check("conversation_endpoints_state", Q(state__in=[state for state in STATES if state])),
            check("conversation_endpoints_priority", Q(priority__gte=1, priority__lte=10)),
            not_negative(
                "conversation_endpoints_numbers",
                *("acknowledged_sequence", "receive_sequence", "held", "held_bytes", "outgoing", "attempts"),
            ),
            check(
                "conversation_endpoints_sequence",
                Q(acknowledged_sequence__lte=F("sending_sequence"))
                & Q(acknowledged_sequence__lte=F("transmitted"))
                & Q(sending_sequence__lte=F("send_sequence"))
                & Q(transmitted__lte=F("send_sequence")),
            ),
        ]
        # PostgreSQL updates a row in place, without an entry in any index, if no column that an index or its condition
        # names has another value: a message of a conversation in use changes neither `due` nor `may_wait`.
        indexes = [
            # Workers poll it all the time: it holds the endpoints that are due at some time, and no others.
            models.Index(fields=["instance", "due"], condition=Q(due__isnull=False), name="conversation_endpoints_due"),
            # What a change of routes makes due; small, for most conversations wait for nothing.
            models.Index(
                fields=["instance", "database", "far_service"],
                condition=Q(may_wait=True),
                name="conversation_endpoints_waiting",
            ),
        ]

    def __str__(self) -> str:
        return self.conversation_handle


class ConversationGroup(OfInstance):
    """A row of sys.conversation_groups. It is there as long as there are endpoints in it."""

    pk = models.CompositePrimaryKey("conversation_group_id", "instance")
    conversation_group_id = Guid()
    database = Name(max_length=SYSNAME)
    service_name = Name(max_length=SERVICE_NAME)
    queue = Name(max_length=QUEUE_NAME)
    conversations = models.IntegerField()

    class Meta:
        db_table = "conversation_groups"

    def __str__(self) -> str:
        return self.conversation_group_id

"""Tables of the transmission queue, of partial messages, and of transmission objects."""

from __future__ import annotations

from django.db import models
from django.db.models import F, Q

from brokerui.messaging.models.base import SERVICE_NAME, Guid, Name, OfInstance, check, not_negative


class OutgoingMessage(OfInstance):
    """A row of sys.transmission_queue; what the view says of the conversation stands in the endpoint."""

    pk = models.CompositePrimaryKey("conversation_handle", "message_sequence_number", "instance")
    conversation_handle = Guid()
    message_sequence_number = models.BigIntegerField()
    message_type_name = Name(max_length=SERVICE_NAME)
    message_body = models.BinaryField(null=True)
    enqueue_time = models.BigIntegerField()
    is_end_of_dialog = models.BooleanField()
    is_conversation_error = models.BooleanField()

    class Meta:
        db_table = "transmission_queue"
        constraints = [not_negative("transmission_queue_numbers", "message_sequence_number")]

    def __str__(self) -> str:
        return f"{self.conversation_handle} {self.message_sequence_number}"


class HeldFragment(OfInstance):
    """A fragment that came over the network and is not in the queue yet (FRAG-3).

    It counts as a row of the target queue with status 2, while that queue is off as one of its database's
    transmission queue (NET-2).
    """

    pk = models.CompositePrimaryKey("conversation_handle", "message_sequence_number", "fragment", "instance")
    conversation_handle = Guid()
    message_sequence_number = models.BigIntegerField()
    fragment = models.IntegerField()
    fragments = models.IntegerField()
    """Bytes of the whole message."""
    message_type_name = Name(max_length=SERVICE_NAME)
    body = models.BinaryField()
    enqueue_time = models.BigIntegerField()
    is_end_of_dialog = models.BooleanField()
    is_conversation_error = models.BooleanField()

    class Meta:
        db_table = "held_fragments"
        constraints = [
            not_negative("held_fragments_numbers", "message_sequence_number", "fragment"),
            check("held_fragments_place", Q(fragment__lt=F("fragments"))),
        ]

    def __str__(self) -> str:
        return f"{self.conversation_handle} {self.message_sequence_number} {self.fragment}"


class TransmissionObject(OfInstance):
    """The work table: transmission objects that memory had no room for (TOB-2). Losing a row costs sending again."""

    pk = models.CompositePrimaryKey("conversation_handle", "instance")
    conversation_handle = Guid()
    state = models.TextField()
    """JSON: `brokerui.messaging.store.objects`."""

    class Meta:
        db_table = "transmission_objects"

    def __str__(self) -> str:
        return self.conversation_handle

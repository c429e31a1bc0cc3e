"""The shapes of bodies, as the schema tells them. What a value may be is checked in `reading`."""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext_lazy as _
from rest_framework import serializers as fields

from brokerui.api.messaging.reading import (
    COMMIT,
    LEASE_S,
    LONGEST_LEASE_S,
    LONGEST_WAIT_MS,
    MOST_MESSAGES,
    MOST_TOP,
    ROLLBACK,
    TOP,
)
from routing.common.names import SERVICE_NAME_CHARS, SYSNAME_CHARS

BODY = _("In base64; null: none.")
SENT_BODY = _("In base64; missing: none. null is refused, as by the product (8433).")


def _name(limit: int = SERVICE_NAME_CHARS, **more: Any) -> Any:
    return fields.CharField(max_length=limit, **more)


def _guid(**more: Any) -> Any:
    return fields.UUIDField(**more)


class BeginSerializer(fields.Serializer):
    """BEGIN DIALOG."""

    instance = _name()
    database = _name(SYSNAME_CHARS)
    from_service = _name()
    to_service = _name()
    to_broker_instance = _name(SYSNAME_CHARS, allow_null=True, required=False)
    contract = _name(required=False)
    related_conversation = _guid(allow_null=True, required=False)
    related_conversation_group = _guid(allow_null=True, required=False)
    lifetime_s = fields.IntegerField(min_value=1, max_value=2**31 - 1, required=False, help_text=_("In seconds."))
    encryption = fields.BooleanField(
        allow_null=True, required=False, help_text=_("null: where there is a key for the service.")
    )


class BegunSerializer(fields.Serializer):
    """A conversation that was begun."""

    conversation_handle = _guid()
    conversation_id = _guid()
    conversation_group_id = _guid()


class MessageSerializer(fields.Serializer):
    """What is sent."""

    message_type = _name(required=False)
    message_body = fields.CharField(allow_null=True, allow_blank=True, required=False, help_text=SENT_BODY)


class SendSerializer(fields.Serializer):
    """SEND: one message, or `messages`."""

    message_type = _name(required=False)
    message_body = fields.CharField(allow_null=True, allow_blank=True, required=False, help_text=SENT_BODY)
    messages = fields.ListField(child=MessageSerializer(), min_length=1, max_length=MOST_MESSAGES, required=False)


class SentSerializer(fields.Serializer):
    """What was sent."""

    conversation_handle = _guid()
    messages = fields.IntegerField(min_value=1)


class EndErrorSerializer(fields.Serializer):
    """With what the other side is told."""

    code = fields.IntegerField(min_value=1, max_value=2**31 - 1)
    description = fields.CharField(max_length=3_000)


class EndSerializer(fields.Serializer):
    """END CONVERSATION."""

    error = EndErrorSerializer(required=False, allow_null=True)
    cleanup = fields.BooleanField(required=False, help_text=_("The other side is not told."))


class MoveSerializer(fields.Serializer):
    """MOVE CONVERSATION."""

    conversation_group_id = _guid()


class TimerSerializer(fields.Serializer):
    """BEGIN CONVERSATION TIMER."""

    timeout_s = fields.IntegerField(min_value=1, max_value=2**31 - 1, help_text=_("In seconds."))


class HandleSerializer(fields.Serializer):
    """Which conversation it was."""

    conversation_handle = _guid()


class QueueStatusSerializer(fields.Serializer):
    """ALTER QUEUE … WITH STATUS."""

    enabled = fields.BooleanField()


class ReceiveSerializer(fields.Serializer):
    """RECEIVE."""

    top = fields.IntegerField(min_value=1, max_value=MOST_TOP, default=TOP, help_text=_("At most so many messages."))
    wait_ms = fields.IntegerField(
        min_value=0, max_value=LONGEST_WAIT_MS, default=0, help_text=_("How long to wait for the first.")
    )
    lease_s = fields.IntegerField(
        min_value=1, max_value=LONGEST_LEASE_S, default=LEASE_S, help_text=_("How long they are yours.")
    )
    conversation_handle = _guid(allow_null=True, required=False, help_text=_("Of this conversation only."))
    conversation_group_id = _guid(allow_null=True, required=False, help_text=_("Of this conversation group only."))


class QueueMessageSerializer(fields.Serializer):
    """A row of a queue."""

    status = fields.IntegerField()
    priority = fields.IntegerField()
    queuing_order = fields.IntegerField()
    conversation_group_id = _guid()
    conversation_handle = _guid()
    message_sequence_number = fields.IntegerField()
    service_name = fields.CharField()
    service_id = fields.IntegerField(allow_null=True)
    service_contract_name = fields.CharField()
    service_contract_id = fields.IntegerField(allow_null=True)
    message_type_name = fields.CharField()
    message_type_id = fields.IntegerField(allow_null=True)
    validation = fields.CharField()
    message_body = fields.CharField(allow_null=True, allow_blank=True, help_text=BODY)
    message_enqueue_time = fields.DateTimeField()


class ReceivedSerializer(fields.Serializer):
    """Messages of one conversation group, with the receipt that takes them."""

    receipt = _guid(allow_null=True, help_text=_("null: there is nothing."))
    conversation_group_id = _guid(allow_null=True)
    until = fields.DateTimeField(allow_null=True, help_text=_("From then on they may be received by others."))
    messages = QueueMessageSerializer(many=True)


class ReceiptSerializer(fields.Serializer):
    """What becomes of a receive."""

    action = fields.ChoiceField([COMMIT, ROLLBACK])


class SettledSerializer(fields.Serializer):
    """What became of a receive."""

    receipt = _guid()
    state = fields.ChoiceField(["committed", "rolled_back"])
    messages = fields.IntegerField(min_value=0, help_text=_("That were received."))

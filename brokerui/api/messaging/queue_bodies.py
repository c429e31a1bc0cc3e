"""Bodies of the verbs about a queue, and of receipts."""

from __future__ import annotations

from typing import Any, Final

from django.utils.translation import gettext_lazy as _
from rest_framework import serializers

from brokerui.api.fields import IdentifierField, StrictBooleanField, StrictChoiceField, StrictIntegerField
from brokerui.api.serializers import StrictSerializer
from routing.common.errors import Invalid
from routing.common.sentence import say

TOP: Final = 100
MAX_TOP: Final = 1_000
"""Messages of one receive."""
MAX_WAIT_MS: Final = 30_000
LEASE_S: Final = 30
MAX_LEASE_S: Final = 3_600
COMMIT, ROLLBACK = "commit", "rollback"


class QueueStatusSerializer(StrictSerializer):
    """ALTER QUEUE … WITH STATUS."""

    enabled = StrictBooleanField()


class ConversationGroupSerializer(StrictSerializer):
    """GET CONVERSATION GROUP."""

    wait_ms = StrictIntegerField(
        min_value=0, max_value=MAX_WAIT_MS, default=0, help_text=_("How long to wait for the first message.")
    )
    lease_s = StrictIntegerField(
        min_value=1, max_value=MAX_LEASE_S, default=LEASE_S, help_text=_("How long the lock of the group is held.")
    )

    def to_internal_value(self, data: Any) -> Any:
        """Take `null` as an object without members: all of them may be left out."""
        return super().to_internal_value({} if data is None else data)


class ReceiveSerializer(ConversationGroupSerializer):
    """RECEIVE."""

    top = StrictIntegerField(
        min_value=1, max_value=MAX_TOP, default=TOP, help_text=_("The largest number of messages.")
    )
    conversation_handle = IdentifierField(
        allow_null=True, required=False, help_text=_("Only messages of this conversation.")
    )
    conversation_group_id = IdentifierField(
        allow_null=True, required=False, help_text=_("Only messages of this conversation group.")
    )
    receipt = IdentifierField(
        allow_null=True, required=False, help_text=_("Messages of the conversation group that this receipt has locked.")
    )

    def validate(self, attrs: Any) -> Any:
        """Refuse what cannot stand beside a receipt: it says from which group, and that there is something."""
        if attrs.get("receipt"):
            for key in ("conversation_handle", "conversation_group_id", "wait_ms"):
                if attrs.get(key):
                    raise Invalid(key, say("cannot stand beside a receipt"))
        return attrs


class QueueMessageSerializer(serializers.Serializer):
    """A row of a queue."""

    status = serializers.IntegerField()
    priority = serializers.IntegerField()
    queuing_order = serializers.IntegerField()
    conversation_group_id = serializers.UUIDField()
    conversation_handle = serializers.UUIDField()
    message_sequence_number = serializers.IntegerField()
    service_name = serializers.CharField()
    service_id = serializers.IntegerField(allow_null=True)
    service_contract_name = serializers.CharField()
    service_contract_id = serializers.IntegerField(allow_null=True)
    message_type_name = serializers.CharField()
    message_type_id = serializers.IntegerField(allow_null=True)
    validation = serializers.CharField()
    message_body = serializers.CharField(allow_null=True, allow_blank=True, help_text=_("In base64; null: none."))
    message_enqueue_time = serializers.DateTimeField()


class QueueViewRowSerializer(QueueMessageSerializer):
    """A row of a queue, as its view shows it."""

    status = serializers.IntegerField(
        help_text=_("0: received and kept; 1: RECEIVE returns it; 2: not complete, or out of order; 3: sent and kept.")
    )
    queuing_order = serializers.IntegerField(allow_null=True, help_text=_("null: it has none before it is complete."))
    message_body = serializers.CharField(
        allow_null=True, help_text=_("Always null: only a program that receives the message sees its body.")
    )
    message_bytes = serializers.IntegerField(
        allow_null=True, help_text=_("Not the product's: the bytes of the body that are here.")
    )
    fragments = serializers.IntegerField(help_text=_("Not the product's: fragments of the message that are here."))
    all_fragments = serializers.IntegerField(help_text=_("Not the product's: all fragments of the message."))


class LockedGroupSerializer(serializers.Serializer):
    """A conversation group, with the receipt that holds its lock."""

    receipt = serializers.UUIDField(allow_null=True, help_text=_("null: no group has messages."))
    conversation_group_id = serializers.UUIDField(allow_null=True)
    until = serializers.DateTimeField(
        allow_null=True, help_text=_("The time at which the lock ends: then others may receive from the group.")
    )


class ReceivedSerializer(serializers.Serializer):
    """Messages of one conversation group, with the receipt that takes them."""

    receipt = serializers.UUIDField(allow_null=True, help_text=_("null: there is nothing."))
    conversation_group_id = serializers.UUIDField(allow_null=True)
    until = serializers.DateTimeField(
        allow_null=True, help_text=_("The time at which the lease ends: then others may receive the messages.")
    )
    messages = QueueMessageSerializer(many=True)


class ReceiptSerializer(StrictSerializer):
    """Commit or rollback of a receive."""

    action = StrictChoiceField([COMMIT, ROLLBACK])

    def to_internal_value(self, data: Any) -> Any:
        """Take the word alone, too."""
        if isinstance(data, str):
            return {"action": self.fields["action"].run_validation(data)}
        return super().to_internal_value(data)


class SettledSerializer(serializers.Serializer):
    """The result of a receive."""

    receipt = serializers.UUIDField()
    state = serializers.ChoiceField(["committed", "rolled_back"])
    messages = serializers.IntegerField(min_value=0, help_text=_("That were received."))

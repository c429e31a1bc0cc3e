"""Bodies of the verbs about one conversation.

What the product has a number for (a lifetime out of range, an error without a description) is left to the verbs,
which refuse it with that number; the schema shows the limits of the verbs.
"""

from __future__ import annotations

from typing import Any, Final

from django.utils.translation import gettext_lazy as _
from rest_framework import serializers

from brokerui.analysis.acts.ending import EndHow
from brokerui.api.fields import (
    ArrayField,
    Base64Field,
    IdentifierField,
    NameField,
    StrictBooleanField,
    StrictIntegerField,
    StringField,
)
from brokerui.api.serializers import StrictSerializer
from brokerui.messaging.services import Message
from routing.common.errors import Invalid
from routing.common.names import SYSNAME_CHARS
from routing.common.sentence import say
from routing.dialog.conversation_timer import MAX_TIMER_S
from routing.dialog.endpoint import MAX_LIFETIME_S
from routing.dialog.error_message import MAX_DESCRIPTION_CHARACTERS, MAX_ERROR_CODE
from routing.dialog.system_names import DEFAULT
from routing.documents.json_decoders import integer, string, unknown_key

MAX_MESSAGES: Final = 10_000
"""Messages of one request."""
MAX_HANDLES: Final = 1_000
"""Conversations of one request."""
MAX_COPIED_BYTES: Final = 64 << 20
"""Bodies that one request may write, on all of its conversations together."""


class VerbIntegerField(StrictIntegerField):
    """A number whose range the verb checks."""

    def to_internal_value(self, data: Any) -> Any:
        return integer(data)


class VerbStringField(StringField):
    """A string whose length the verb checks."""

    def to_internal_value(self, data: Any) -> Any:
        return string(data)


class MessagesField(ArrayField):
    """The messages of one request."""

    def check_length(self, data: list[Any]) -> None:
        if not 1 <= len(data) <= MAX_MESSAGES:
            raise Invalid("", say("must have 1 to {limit} messages", limit=MAX_MESSAGES))


class HandlesField(ArrayField):
    """The conversations of one request."""

    def check_length(self, data: list[Any]) -> None:
        if not 1 <= len(data) <= MAX_HANDLES:
            raise Invalid("", say("must have 1 to {limit} conversation handles", limit=MAX_HANDLES))


class BeginSerializer(StrictSerializer):
    """BEGIN DIALOG."""

    instance = NameField()
    database = NameField(max_length=SYSNAME_CHARS)
    from_service = NameField()
    to_service = NameField()
    to_broker_instance = NameField(max_length=SYSNAME_CHARS, allow_null=True, required=False)
    contract = NameField(required=False)
    related_conversation = IdentifierField(allow_null=True, required=False)
    related_conversation_group = IdentifierField(allow_null=True, required=False)
    lifetime_s = VerbIntegerField(min_value=1, max_value=MAX_LIFETIME_S, required=False, help_text=_("In seconds."))
    encryption = StrictBooleanField(
        allow_null=True, required=False, help_text=_("null: where there is a key for the service.")
    )

    def validate(self, attrs: Any) -> Any:
        """Return the arguments of `conversation_begin`."""
        return {name: value for name, value in attrs.items() if value is not None}


class BegunSerializer(serializers.Serializer):
    """A conversation that was begun."""

    conversation_handle = serializers.UUIDField()
    conversation_id = serializers.UUIDField()
    conversation_group_id = serializers.UUIDField()


def _message_body() -> Any:
    help_text = _("In base64; missing: none. null is refused, as by the product (8433).")
    return Base64Field(allow_null=True, allow_blank=True, required=False, help_text=help_text)


class MessageSerializer(StrictSerializer):
    """A message to send."""

    message_type = NameField(required=False)
    message_body = _message_body()

    def validate(self, attrs: Any) -> Any:
        return Message(attrs.get("message_body", b""), attrs.get("message_type", DEFAULT))


class SendSerializer(StrictSerializer):
    """SEND: one message, or `messages`."""

    message_type = NameField(required=False)
    message_body = _message_body()
    messages = MessagesField(child=MessageSerializer(), min_length=1, max_length=MAX_MESSAGES, required=False)

    def validate(self, attrs: Any) -> Any:
        """Return the messages."""
        if "messages" not in attrs:
            return (Message(attrs.get("message_body", b""), attrs.get("message_type", DEFAULT)),)
        for key in attrs:
            if key != "messages":
                raise Invalid("", unknown_key(key, ("messages",)))
        return attrs["messages"]


class SentSerializer(serializers.Serializer):
    """The conversation, and the number of messages that were sent on it."""

    conversation_handle = serializers.UUIDField()
    messages = serializers.IntegerField(min_value=1)


class SendOnSerializer(SendSerializer):
    """SEND ON CONVERSATION (HANDLE, …): one message, or `messages`, on each of several conversations."""

    conversation_handles = HandlesField(child=IdentifierField(), min_length=1, max_length=MAX_HANDLES)

    def validate(self, attrs: Any) -> Any:
        """Return the handles and the messages. A copy of each message is written for each conversation."""
        handles = attrs.pop("conversation_handles")
        messages = super().validate(attrs)
        copies = len(handles) * len(messages)
        size = len(handles) * sum(len(message.body or b"") for message in messages)
        if copies > MAX_MESSAGES or size > MAX_COPIED_BYTES:
            limits = {"messages": MAX_MESSAGES, "megabytes": MAX_COPIED_BYTES >> 20}
            raise Invalid(
                "conversation_handles", say("must make at most {messages} copies and {megabytes} MB of them", **limits)
            )
        return handles, messages


class SentOnSerializer(serializers.Serializer):
    """The conversations, and the number of messages that were sent on each."""

    conversation_handles = serializers.ListField(child=serializers.UUIDField())
    messages = serializers.IntegerField(min_value=1)


class EndErrorSerializer(StrictSerializer):
    """The error that the other side receives."""

    code = VerbIntegerField(min_value=1, max_value=MAX_ERROR_CODE)
    description = VerbStringField(max_length=MAX_DESCRIPTION_CHARACTERS)


class EndSerializer(StrictSerializer):
    """END CONVERSATION."""

    error = EndErrorSerializer(required=False, allow_null=True)
    cleanup = StrictBooleanField(required=False, help_text=_("The other side is not notified."))

    def validate(self, attrs: Any) -> Any:
        error, cleanup = attrs.get("error"), attrs.get("cleanup", False)
        if error and cleanup:
            raise Invalid("", say("must have either an error or cleanup"))
        return EndHow(**error) if error else EndHow(cleanup=cleanup)


class EndOnSerializer(EndSerializer):
    """END CONVERSATION of several conversations."""

    conversation_handles = HandlesField(child=IdentifierField(), min_length=1, max_length=MAX_HANDLES)
    dry_run = StrictBooleanField(required=False, help_text=_("Change nothing; answer what each end would do."))

    def validate(self, attrs: Any) -> Any:
        handles, dry_run = attrs.pop("conversation_handles"), attrs.pop("dry_run", False)
        return handles, super().validate(attrs), dry_run


class EndResultSerializer(serializers.Serializer):
    """The result of one conversation."""

    conversation_handle = serializers.UUIDField()
    result = serializers.ChoiceField(["ended", "refused", "would_end", "would_be_refused"])
    instance = serializers.CharField(allow_null=True, help_text=_("Null: there is no such conversation."))
    messages = serializers.IntegerField(min_value=0, help_text=_("That waited."))
    deleted = serializers.IntegerField(min_value=0, help_text=_("Those of them that its end deletes."))
    is_notified = serializers.BooleanField(help_text=_("Whether the other side receives the end."))
    number = serializers.IntegerField(allow_null=True, help_text=_("The product's number of the refusal."))
    detail = serializers.CharField(allow_null=True, help_text=_("Why it is refused."))


class EndResultsSerializer(serializers.Serializer):
    """The result of each conversation, in the order of the request."""

    results = EndResultSerializer(many=True)


class MoveSerializer(StrictSerializer):
    """MOVE CONVERSATION."""

    conversation_group_id = IdentifierField()


class TimerSerializer(StrictSerializer):
    """BEGIN CONVERSATION TIMER."""

    timeout_s = StrictIntegerField(min_value=1, max_value=MAX_TIMER_S, help_text=_("In seconds."))


class HandleSerializer(serializers.Serializer):
    """Which conversation it was."""

    conversation_handle = serializers.UUIDField()

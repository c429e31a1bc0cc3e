"""The columns of the views of messaging, for the schema."""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext_lazy as _
from rest_framework import serializers

from brokerui.api.bodies import LookSerializer


def _text(**more: Any) -> Any:
    return serializers.CharField(**more)


def _number(**more: Any) -> Any:
    return serializers.IntegerField(**more)


def _flag() -> Any:
    return serializers.BooleanField()


def _moment(**more: Any) -> Any:
    return serializers.DateTimeField(**more)


class SysConversationEndpointSerializer(serializers.Serializer):
    """A row of sys.conversation_endpoints."""

    instance = _text()
    database = _text()
    conversation_handle = _text()
    conversation_id = _text()
    is_initiator = _number(min_value=0, max_value=1)
    service_contract_id = _number(allow_null=True)
    conversation_group_id = _text()
    service_id = _number(allow_null=True)
    lifetime = _moment()
    state = _text()
    state_desc = _text()
    far_service = _text()
    far_broker_instance = _text(allow_null=True)
    principal_id = _number(allow_null=True)
    far_principal_id = _number(allow_null=True)
    outbound_session_key_identifier = _text(allow_null=True)
    inbound_session_key_identifier = _text(allow_null=True)
    security_timestamp = _moment(allow_null=True)
    dialog_timer = _moment(allow_null=True)
    send_sequence = _number()
    last_send_tran_id = _text(allow_null=True)
    end_dialog_sequence = _number(allow_null=True)
    receive_sequence = _number()
    receive_sequence_frag = _number()
    system_sequence = _number()
    first_out_of_order_sequence = _number(allow_null=True)
    last_out_of_order_sequence = _number(allow_null=True)
    last_out_of_order_frag = _number(allow_null=True)
    is_system = _flag()
    priority = _number()
    service_name = _text(help_text=_("Not the product's."))
    service_contract_name = _text(help_text=_("Not the product's."))
    outgoing = _number(help_text=_("Not the product's: its messages in the transmission queue."))


class DialogSerializer(SysConversationEndpointSerializer):
    """One side of a conversation."""

    transmission_status = _text(allow_blank=True, help_text=_("Why the first message that waits does; empty: none."))
    held = _text(
        allow_blank=True,
        help_text=_("What holds its messages, and what routing does once that is mended; empty: nothing does."),
    )
    looks = LookSerializer(many=True, help_text=_("The looks that found that, in order; empty: nothing waits."))


class SysConversationGroupSerializer(serializers.Serializer):
    """A row of sys.conversation_groups."""

    instance = _text()
    database = _text()
    conversation_group_id = _text()
    service_id = _number(allow_null=True)
    is_system = _flag()
    service_name = _text(help_text=_("Not the product's."))
    queue = _text(help_text=_("Not the product's."))
    conversations = _number(help_text=_("Not the product's: how many are in it."))


class SysTransmissionSerializer(serializers.Serializer):
    """A row of sys.transmission_queue."""

    instance = _text()
    database = _text()
    conversation_handle = _text()
    to_service_name = _text()
    to_broker_instance = _text(allow_null=True)
    from_service_name = _text()
    service_contract_name = _text()
    enqueue_time = _moment()
    message_sequence_number = _number()
    message_type_name = _text()
    is_conversation_error = _flag()
    is_end_of_dialog = _flag()
    message_body = _text(
        allow_null=True, help_text=_("Always null: only a program that receives the message sees its body.")
    )
    transmission_status = _text(
        allow_blank=True,
        help_text=_("`NUMBER: why`; empty: nothing was tried yet, or it was sent and is not acknowledged."),
    )
    priority = _number()
    message_bytes = _number(allow_null=True, help_text=_("Not the product's: the bytes of the body that are here."))
    waits_for_queue = _text(
        allow_null=True, help_text=_("Not the product's: the queue it came for, which is off; null: it is to be sent.")
    )


class SysConnectionSerializer(serializers.Serializer):
    """A row of sys.dm_broker_connections."""

    instance = _text()
    connection_id = _text()
    transport_stream_id = _text()
    state = _number()
    state_desc = _text()
    connect_time = _moment()
    login_time = _moment(allow_null=True)
    authentication_method = _text(allow_blank=True)
    principal_name = _text(allow_blank=True)
    remote_user_name = _text(allow_blank=True)
    last_activity_time = _moment()
    is_accept = _flag()
    login_state = _number()
    login_state_desc = _text()
    peer_certificate_id = _number(allow_null=True)
    encryption_algorithm = _number()
    encryption_algorithm_desc = _text()
    receives_posted = _number()
    is_receive_flow_controlled = _flag()
    sends_posted = _number()
    is_send_flow_controlled = _flag()
    total_bytes_sent = _number()
    total_bytes_received = _number()
    total_fragments_sent = _number()
    total_fragments_received = _number()
    total_sends = _number()
    total_receives = _number()
    peer_arbitration_id = _text(allow_null=True)
    address = _text(help_text=_("Not the product's: of the other side."))
    peer = _text(allow_blank=True, help_text=_("Not the product's: as which instance the other side presents itself."))


class SysForwardedSerializer(serializers.Serializer):
    """A row of sys.dm_broker_forwarded_messages."""

    instance = _text()
    conversation_id = _text()
    is_initiator = _flag()
    to_service_name = _text()
    to_broker_instance = _text(allow_null=True)
    from_service_name = _text()
    from_broker_instance = _text(allow_null=True)
    adjacent_broker_address = _text(allow_blank=True)
    message_sequence_number = _number()
    message_fragment_number = _number()
    hops_remaining = _number()
    time_to_live = _number(help_text=_("In milliseconds, as `time_consumed`."))
    time_consumed = _number()
    message_id = _text()


class SysQueueMonitorSerializer(serializers.Serializer):
    """A row of sys.dm_broker_queue_monitors."""

    instance = _text()
    database = _text()
    database_id = _number(allow_null=True)
    queue_id = _number(allow_null=True)
    state = _text()
    last_empty_rowset_time = _moment(allow_null=True)
    last_activated_time = _moment(allow_null=True)
    tasks_waiting = _number()
    queue = _text(help_text=_("Not the product's."))


class SysActivatedTaskSerializer(serializers.Serializer):
    """A row of sys.dm_broker_activated_tasks."""

    instance = _text()
    database = _text()
    spid = _number()
    database_id = _number(allow_null=True)
    queue_id = _number(allow_null=True)
    procedure_name = _text()
    execute_as = _number(allow_null=True)
    queue = _text(help_text=_("Not the product's, as what follows."))
    host = _text()
    since = _moment()

"""The event log: its columns, as docs/reference/event-log.md has them, and what each event fills of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from brokerui.eventlog.samples import SAMPLE, SAMPLE_NAME, OfSample, Sample
from routing.common import broker_events as ev
from routing.common import event_subclasses as subclasses
from routing.common import network_events as network

TEXT, INTEGER, SMALL, BOOLEAN, MOMENT = "text", "integer", "32-bit integer", "boolean", "timestamp, ms, UTC"

COLUMNS: Final[Mapping[str, str]] = {
    "source": TEXT,
    "position": INTEGER,
    "at": MOMENT,
    "host": TEXT,
    "instance": TEXT,
    "event_class": SMALL,
    "event_name": TEXT,
    "event_subclass": SMALL,
    "database": TEXT,
    "conversation_id": TEXT,
    "conversation_handle": TEXT,
    "conversation_group_id": TEXT,
    "is_initiator": BOOLEAN,
    "from_initiator": BOOLEAN,
    "state": TEXT,
    "from_service": TEXT,
    "from_broker_instance": TEXT,
    "to_service": TEXT,
    "to_broker_instance": TEXT,
    "message_sequence_number": INTEGER,
    "first_message_sequence_number": INTEGER,
    "fragment": SMALL,
    "message_id": TEXT,
    "messages": INTEGER,
    "bytes": INTEGER,
    "is_from_network": BOOLEAN,
    "route": TEXT,
    "next_hop": TEXT,
    "error": SMALL,
    "previous_error": SMALL,
    "attempts": SMALL,
    "enqueued_at": MOMENT,
    "hops_remaining": SMALL,
    "time_to_live_ms": INTEGER,
    "time_consumed_ms": INTEGER,
    "last_acknowledged": INTEGER,
    "queue": TEXT,
    "connection_id": TEXT,
    "address": TEXT,
    "mirror_address": TEXT,
    "peer": TEXT,
    "principal": TEXT,
    "times_closed": SMALL,
    "depth": INTEGER,
    "oldest_age_ms": INTEGER,
    "text": TEXT,
}
"""Columns of each file, all and in this order. Moments are in milliseconds here."""

Values = dict[str, Any]
"""Values by column; a missing column is NULL."""
NAMES: Final = {**ev.EVENT_NAMES, SAMPLE: SAMPLE_NAME}
_SENT = frozenset(
    (
        subclasses.ConversationSubclass.SEND_MESSAGE,
        subclasses.ConversationSubclass.END_CONVERSATION,
        subclasses.ConversationSubclass.END_CONVERSATION_WITH_ERROR,
    )
)


def row_of(event: ev.Event | Sample) -> Values:
    """Return the columns of an event, beside those for its instance and moment."""
    values = _FILLED[type(event)](event)
    values["event_class"] = event.number
    values["event_name"] = NAMES[event.number]
    values["event_subclass"] = getattr(event, "subclass", None)
    values["database"] = getattr(event, "database", None) or None
    return values


def _conversation(e: ev.ConversationEvent) -> Values:
    values = {
        "conversation_id": e.conversation_id,
        "conversation_handle": e.conversation_handle,
        "conversation_group_id": e.conversation_group_id,
        "is_initiator": e.is_initiator,
        "state": e.state or None,
        "from_service": e.service_name,
        "to_service": e.far_service,
        "to_broker_instance": e.far_broker_instance,
    }
    if e.message_sequence_number >= 0:
        is_sent = e.subclass in _SENT
        values |= {
            "from_initiator": e.is_initiator == is_sent,
            "message_sequence_number": e.message_sequence_number,
            "messages": 1,
            "bytes": e.size,
        }
        if not is_sent:
            came = {"from_service": e.far_service, "to_service": e.service_name, "to_broker_instance": None}
            values |= came
    return values


def _group(e: ev.ConversationGroupEvent) -> Values:
    return {"conversation_group_id": e.conversation_group_id}


def _connection(e: network.BrokerConnection) -> Values:
    given = {"connection_id": e.connection_id or None, "address": e.address, "text": e.text or None}
    return {**given, "times_closed": e.times_closed}


def _forwarded(e: network.ForwardedMessageSent | network.ForwardedMessageDropped) -> Values:
    message = e.message
    return {
        "conversation_id": message.conversation_id,
        "from_initiator": message.is_initiator,
        "from_service": message.from_service_name,
        "from_broker_instance": message.from_broker_instance,
        "to_service": message.to_service_name,
        "to_broker_instance": message.to_broker_instance,
        "message_sequence_number": message.message_sequence_number,
        "fragment": message.message_fragment_number,
        "message_id": message.message_id,
        "route": e.route,
        "next_hop": message.adjacent_broker_address or None,
        "hops_remaining": message.hops_remaining,
        "time_to_live_ms": message.time_to_live,
        "time_consumed_ms": message.time_consumed,
    }


def _classify(e: ev.MessageClassify) -> Values:
    return {
        "conversation_id": e.conversation_id,
        "from_initiator": e.from_initiator,
        "from_service": e.from_service,
        "to_service": e.to_service,
        "to_broker_instance": e.to_broker_instance,
        "is_from_network": e.is_from_network,
        "route": e.route,
        "next_hop": e.next_hop or None,
        "error": e.reason or None,
    }


def _mirrored(e: network.MirroredRouteStateChanged) -> Values:
    return {
        "address": e.address,
        "mirror_address": e.mirror_address,
        "to_service": e.service,
        "to_broker_instance": e.broker_instance,
        "principal": e.principal or None,
    }


def _acknowledgement(e: network.Acknowledgement) -> Values:
    return {
        "conversation_id": e.conversation_id,
        "from_initiator": e.from_initiator,
        "first_message_sequence_number": e.first_message_sequence_number,
        "message_sequence_number": e.message_sequence_number,
        "fragment": e.fragment,
    }


def _login(e: network.AuditBrokerLogin) -> Values:
    given = {"connection_id": e.connection_id or None, "address": e.address, "peer": e.peer or None}
    return {**given, "principal": e.principal or None, "text": e.text or None}


def _undeliverable(e: network.MessageUndeliverable) -> Values:
    return {
        "conversation_id": e.conversation_id,
        "message_sequence_number": e.message_sequence_number,
        "last_acknowledged": e.last_acknowledged if e.last_acknowledged >= 0 else None,
        "error": e.reason or None,
    }


def _side(e: ev.MessagesSent | ev.StatusChanged) -> Values:
    return {
        "conversation_id": e.conversation_id,
        "conversation_handle": e.conversation_handle,
        "is_initiator": e.is_initiator,
        "from_initiator": e.is_initiator,
        "from_service": e.service_name,
        "to_service": e.far_service,
        "to_broker_instance": e.far_broker_instance,
    }


def _sent(e: ev.MessagesSent) -> Values:
    return {
        **_side(e),
        "route": e.route,
        "next_hop": e.next_hop,
        "attempts": e.attempts,
        "first_message_sequence_number": e.first_message_sequence_number,
        "message_sequence_number": e.message_sequence_number,
        "messages": e.messages,
        "bytes": e.size,
        "enqueued_at": e.enqueue_time,
    }


def _received(e: ev.MessagesReceived) -> Values:
    has_numbers = e.message_sequence_number >= 0
    return {
        "queue": e.queue,
        "conversation_handle": e.conversation_handle,
        "first_message_sequence_number": e.first_message_sequence_number if has_numbers else None,
        "message_sequence_number": e.message_sequence_number if has_numbers else None,
        "messages": e.messages,
        "bytes": e.size,
        "enqueued_at": e.enqueue_time,
    }


def _sample(e: Sample) -> Values:
    return {
        "queue": e.queue or None,
        "error": e.error or None,
        "depth": e.depth if e.subclass <= OfSample.WAITING_CONVERSATIONS else None,
        "oldest_age_ms": e.oldest_age_ms,
        "text": e.role or None,
        "address": e.address or None,
        "mirror_address": e.mirror_address or None,
        "to_service": e.service or None,
        "to_broker_instance": e.broker_instance or None,
        "principal": e.principal or None,
    }


_FILLED: Final[Mapping[type, Callable[[Any], Values]]] = {
    ev.ConversationEvent: _conversation,
    ev.ConversationGroupEvent: _group,
    network.BrokerConnection: _connection,
    network.ForwardedMessageSent: _forwarded,
    network.ForwardedMessageDropped: lambda e: {**_forwarded(e), "error": e.reason or None},
    ev.MessageClassify: _classify,
    ev.QueueDisabled: lambda e: {"queue": e.queue},
    network.MirroredRouteStateChanged: _mirrored,
    network.Acknowledgement: _acknowledgement,
    network.AuditBrokerConversation: lambda e: {"conversation_id": e.conversation_id, "text": e.text},
    network.AuditBrokerLogin: _login,
    network.MessageUndeliverable: _undeliverable,
    network.CorruptedMessage: lambda e: {
        "conversation_id": e.conversation_id or None,
        "text": e.what,
        "error": e.reason or None,
    },
    ev.BrokerActivation: lambda e: {"queue": e.queue, "text": ": ".join(filter(None, (e.procedure, e.text)))},
    ev.MessagesSent: _sent,
    ev.MessagesReceived: _received,
    ev.StatusChanged: lambda e: {
        **_side(e),
        "error": e.status or None,
        "previous_error": e.previous_status or None,
    },
    Sample: _sample,
}
CLASSES: Final[Mapping[int, type]] = {kind.number.fget(None): kind for kind in _FILLED}  # type: ignore[attr-defined]
"""By the number of their events."""


def event_of(number: int, values: Sequence[Any]) -> ev.Event | Sample:
    """An event again, from its number and its values as JSON has them."""
    if number in (139, 140):
        values = [network.ForwardedMessage(*values[0]), *values[1:]]
    event: ev.Event | Sample = CLASSES[number](*values)
    return event

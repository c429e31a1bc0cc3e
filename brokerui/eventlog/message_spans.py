"""The way of messages as spans: sent, transmitted, forwarded, arrived, received, acknowledged, discarded.

The trace of a conversation has the conversation's own identifier, which all instances on its way know: so the spans of
senders, forwarders and targets meet in one trace, also where several deployments report to one collector.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final
from uuid import UUID

from brokerui.core.tracing import tracer
from routing.common.broker_events import ConversationEvent, Event, MessageClassify, MessagesReceived, MessagesSent
from routing.common.event_subclasses import ConversationSubclass
from routing.common.network_events import (
    Acknowledgement,
    ForwardedMessageDropped,
    ForwardedMessageSent,
    MessageUndeliverable,
)

NANOSECONDS: Final = 1_000_000
"""Of a millisecond."""
LOW_64: Final = (1 << 64) - 1
_OF_CONVERSATION: Final = {
    ConversationSubclass.SEND_MESSAGE: "send",
    ConversationSubclass.RECEIVED_SEQUENCED_MESSAGE: "arrive",
    ConversationSubclass.END_CONVERSATION: "end",
    ConversationSubclass.RECEIVED_END_CONVERSATION: "end arrives",
}
_NAMES: Final[dict[type, str]] = {
    MessageClassify: "route",
    MessagesSent: "transmit",
    MessagesReceived: "receive",
    Acknowledgement: "acknowledge",
    MessageUndeliverable: "discard",
}


def message_spans(instance: str, events: Iterable[tuple[int, Event]]) -> None:
    """Report the events of an instance that are about messages of a conversation; no body is in them."""
    own = tracer()
    if own is None:
        return
    for at, event in events:
        name, message = _name(event), getattr(event, "message", event)
        if name:
            _report(own, instance, at, name, message)


def _name(event: Event) -> str:
    if isinstance(event, ConversationEvent):
        return _OF_CONVERSATION.get(event.subclass, "")
    if isinstance(event, ForwardedMessageSent):
        return "forward"
    return "drop" if isinstance(event, ForwardedMessageDropped) else _NAMES.get(type(event), "")


def _report(own: Any, instance: str, at: int, name: str, event: Any) -> None:
    handle = getattr(event, "conversation_handle", "")
    conversation = getattr(event, "conversation_id", "") or handle
    values = {
        "messaging.system": "service_broker",
        "messaging.message.conversation_id": conversation,
        "brokerui.conversation_handle": handle,
        "brokerui.instance": instance,
        "brokerui.database": getattr(event, "database", ""),
        "brokerui.message_sequence_number": getattr(event, "message_sequence_number", -1),
    }
    attributes = {key: value for key, value in values.items() if value != ""}
    moment = at * NANOSECONDS
    found = own.start_span(name, context=_trace_of(conversation), attributes=attributes, start_time=moment)
    found.end(end_time=moment)


def _trace_of(conversation: str) -> Any:
    """A parent that nobody reports: it gives the trace its identifier."""
    from opentelemetry.trace import (  # noqa: PLC0415 - only where traces are sent
        NonRecordingSpan,
        SpanContext,
        TraceFlags,
        set_span_in_context,
    )

    number = UUID(conversation).int
    context = SpanContext(number, number & LOW_64 or 1, is_remote=True, trace_flags=TraceFlags(TraceFlags.SAMPLED))
    return set_span_in_context(NonRecordingSpan(context))

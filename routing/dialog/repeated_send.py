"""A SEND like the one before it on the same conversation: decided already, but for its number, its moment and its body.

The engine decides a SEND from the endpoint, the estate, the keys and the state of the instance. An application that
sends one message after the other finds all of them as they were, and then the answer to its last SEND is that to its
next one. The caller makes sure that estate, keys and state of the instance are the same; the store compares the
endpoint, as for every SEND without a claim (`routing.dialog.appended_messages`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from routing.adjacent.fragment import Header, read_fragment, write_fragment
from routing.adjacent.guard import FragmentGuard
from routing.common.broker_events import ConversationEvent, Event, MessageClassify, MessagesSent
from routing.common.choices import Choices
from routing.common.retry import retry_delay_ms
from routing.dialog.appended_messages import AppendedMessages
from routing.dialog.batch import RouteRequestKey
from routing.dialog.broker_context import OutboundFrame
from routing.dialog.endpoint import Endpoint
from routing.dialog.fragment_writer import guard_for, message_id, side_id, time_left
from routing.dialog.messages import OutboundMessage
from routing.dialog.unit_of_work import UnitOfWork


class RepeatedSend(NamedTuple):
    """The answer to a SEND of one message that left with its commit, as one fragment without an acknowledgement."""

    message_type: str
    reported: ConversationEvent
    classified: MessageClassify
    sent: MessagesSent
    header: Header
    side: int
    """Number of the endpoint in the identifiers of its messages."""
    guard: FragmentGuard
    address: str
    requests: Mapping[RouteRequestKey, str]
    window: int
    longest: int
    """Maximum bytes of a body that leaves as one fragment."""

    def fits(self, endpoint: Endpoint, body: bytes, now_ms: int) -> bool:
        """Return True if the answer holds for this body at this moment. `endpoint`: as it was seen last."""
        return len(body) <= self.longest and now_ms < endpoint.lifetime

    def appended(self, endpoint: Endpoint, body: bytes, now_ms: int, choices: Choices | None) -> AppendedMessages:
        """Return what the SEND adds to the endpoint as it was seen last. `choices`: for the moment at which it is sent
        again; None: it does not leave with the commit."""
        number, size = endpoint.send_sequence, len(body)
        leaving: tuple[Event, ...] = ()
        if choices is not None:
            leaving = (self.classified, MessagesSent(*self.sent[:-5], number, number, 1, size, now_ms))
        # Positional: keywords would triple the cost of these calls, once per message.
        return AppendedMessages(
            endpoint,
            self.requests,
            (OutboundMessage(endpoint.conversation_handle, number, self.message_type, body, now_ms, False, False),),
            now_ms,
            self.window,
            now_ms,
            (ConversationEvent(*self.reported[:-2], number, size),),
            None if choices is None else now_ms + retry_delay_ms(1, choices),
            leaving,
        )

    def frame(self, appended: AppendedMessages) -> OutboundFrame:
        """Return the frame of a message that leaves."""
        (message,) = appended.messages
        conversation, _, names, flags, _, _, hops, *_ = self.header
        number = message.message_sequence_number
        identifier = message_id(conversation, self.side, number)
        life = time_left(appended.before.lifetime, appended.now_ms)
        header = Header(conversation, identifier, names, flags, number, life, hops)
        return OutboundFrame(self.address, write_fragment(header, message.message_body or b"", self.guard))


def repeated_send(work: UnitOfWork, appended: AppendedMessages) -> RepeatedSend | None:
    """Return the answer to a SEND that has left with its commit; None if the next one may be answered otherwise."""
    before, settings = appended.before, work.context.settings
    if len(appended.messages) != 1 or len(work.outbound) != 1 or not _is_known_to_peer(before):
        return None
    header, guard = read_fragment(work.outbound[0].frame).header, guard_for(work, before)
    if header.acknowledged or guard is None:
        return None
    ((reported,), (classified, sent)) = appended.events, appended.leaving_events
    assert isinstance(reported, ConversationEvent), "a SEND reports itself"
    assert isinstance(classified, MessageClassify), "then the way that its message takes"
    assert isinstance(sent, MessagesSent), "and its message as sent"
    return RepeatedSend(
        message_type=appended.messages[0].message_type_name,
        reported=reported,
        classified=classified,
        sent=sent,
        header=header,
        side=side_id(header.conversation_id, before.is_initiator),
        guard=guard,
        address=work.outbound[0].address,
        requests=appended.requests,
        window=appended.window,
        longest=min(before.fragment_bytes or settings.fragment_bytes, settings.fragment_bytes, settings.longest),
    )


def _is_known_to_peer(endpoint: Endpoint) -> bool:
    """Return True if no fragment says any more that its peer may not know the conversation yet."""
    return endpoint.acknowledged_sequence > 0 if endpoint.is_initiator else endpoint.security_timestamp is not None

"""Events that an operator should see one by one, or as one row with a count where they are alike.

A burst of equal events is one row an hour: equal in everything but the moment and the conversation.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from hashlib import sha256
from typing import Any, Final, NamedTuple

from brokerui.eventlog.counting import Counts, kind_of
from routing.common.broker_events import (
    BrokerActivation,
    ConversationEvent,
    Event,
    QueueDisabled,
    StatusChanged,
)
from routing.common.event_subclasses import (
    ActivationSubclass,
    ConnectionSubclass,
    ConversationSubclass,
    LoginSubclass,
)
from routing.common.network_events import (
    AuditBrokerConversation,
    AuditBrokerLogin,
    BrokerConnection,
    CorruptedMessage,
    ForwardedMessageDropped,
    MessageUndeliverable,
    MirroredRouteStateChanged,
)

HOUR_MS: Final = 3_600_000
ANY: Final = 0
MOST_AT_ONCE: Final = 1_000
"""Different exceptional events that are kept between two writes; further ones are only counted."""
LONGEST_TEXT: Final = 1_000
"""Characters that are kept of a text."""

EXCEPTIONAL: Final[Mapping[tuple[int, int], str]] = {
    (124, ConversationSubclass.END_CONVERSATION_WITH_ERROR): "an application ended a conversation with an error",
    (124, ConversationSubclass.BROKER_INITIATED_ERROR): "the broker ended it: lifetime over, or an invalid message",
    (124, ConversationSubclass.RECEIVED_END_CONVERSATION_WITH_ERROR): "the other side ended it with an error",
    (124, ConversationSubclass.RECEIVED_BROKER_ERROR_MESSAGE): "the other side's broker ended it",
    (
        124,
        ConversationSubclass.END_CONVERSATION_WITH_CLEANUP,
    ): "messages were deleted WITH CLEANUP, and the other side was not notified",
    (138, ConnectionSubclass.CONNECT_FAILED): "a next hop cannot be reached",
    (138, ConnectionSubclass.SEND_IO_ERROR): "a connection broke",
    (138, ConnectionSubclass.RECEIVE_IO_ERROR): "a connection broke",
    (140, ANY): "a forwarded message was dropped",
    (143, ANY): "a queue was switched off after rollbacks: nothing is received from it until it is on again",
    (144, ANY): "another partner of a mirrored database is the principal, or none is",
    (158, ANY): "a message is not secured as its dialog is",
    (159, LoginSubclass.LOGIN_PROTOCOL_ERROR): "a peer was not let in",
    (159, LoginSubclass.MESSAGE_FORMAT_ERROR): "a peer was not let in",
    (159, LoginSubclass.NEGOTIATE_FAILURE): "a peer was not let in",
    (159, LoginSubclass.AUTHENTICATION_FAILURE): "a peer was not let in",
    (159, LoginSubclass.AUTHORIZATION_FAILURE): "a peer was not let in",
    (160, ANY): "a message came for which there is no conversation here",
    (161, ANY): "a message arrived damaged or forged",
    (163, ActivationSubclass.ABORTED): "a reader of a queue failed: what it had received was rolled back",
    (163, ActivationSubclass.FAILED_TO_START): "a queue names a procedure that cannot run here: nobody reads it",
    (1003, ANY): "what a conversation has to send cannot go now",
}
"""Class and subclass (`ANY`: every one), and why an operator should know. Of 1003 only those with a status; so 141
Delayed, which comes again with each attempt, is not among them."""

WHY_OF_ERRORS: Final[Mapping[tuple[int, int], str]] = {
    (160, 11218): "a message came again: its sender has heard no acknowledgement; look at the way back",
}
"""Class and error, and why an operator should know, where that says more than the class."""


def why_exceptional(event_class: int, event_subclass: int, error: int) -> str:
    """Return why an operator should know of an exceptional event."""
    by_class = EXCEPTIONAL.get((event_class, event_subclass)) or EXCEPTIONAL.get((event_class, ANY), "")
    return WHY_OF_ERRORS.get((event_class, error)) or by_class


class Exceptional(NamedTuple):
    """The values by which events are equal."""

    instance: str
    event_class: int
    event_subclass: int
    database: str
    error: int
    target: str
    """A service, or a queue; empty: none is known."""
    address: str
    """Address of the other end, the next hop or the mirrored route."""
    text: str

    @property
    def fingerprint(self) -> str:
        """32 hex digits that stand for it."""
        return sha256("\0".join(map(str, self)).encode(errors="surrogatepass")).hexdigest()[:32]


class ExceptionSums(NamedTuple):
    """How often, when, and the last one's conversation."""

    events: int
    first_at: int
    last_at: int
    conversation_id: str
    conversation_handle: str


Exceptions = dict[tuple[Exceptional, int], ExceptionSums]
"""Key: kind and subject of the event, and the hour's begin in milliseconds since 1970, UTC."""

Details = tuple[str, str, str, str, str]
"""Target, address, text, conversation id and handle."""
_DETAILS: Final[Mapping[type, Callable[[Any], Details]]] = {
    ConversationEvent: lambda e: (e.far_service, "", "", e.conversation_id, e.conversation_handle),
    BrokerConnection: lambda e: ("", _host(e.address), e.text, "", ""),
    ForwardedMessageDropped: lambda e: (
        e.message.to_service_name,
        e.message.adjacent_broker_address,
        "",
        e.message.conversation_id,
        "",
    ),
    QueueDisabled: lambda e: (e.queue, "", "", "", ""),
    MirroredRouteStateChanged: lambda e: (e.service, e.address, e.principal, "", ""),
    AuditBrokerConversation: lambda e: ("", "", e.text, e.conversation_id, ""),
    AuditBrokerLogin: lambda e: (e.peer, _host(e.address), e.text, "", ""),
    MessageUndeliverable: lambda e: ("", "", "", e.conversation_id, ""),
    CorruptedMessage: lambda e: ("", "", e.what, e.conversation_id, ""),
    BrokerActivation: lambda e: (e.queue, e.procedure, e.text, "", ""),
    StatusChanged: lambda e: (e.far_service, "", "", e.conversation_id, e.conversation_handle),
}


def _host(address: str) -> str:
    """The peer's address without its port, which differs with each connection."""
    return address if address.startswith("tcp://") else address.rpartition(":")[0]


def is_exceptional(event_class: int, event_subclass: int, error: int) -> bool:
    if event_class == 1003 and not error:
        return False
    return (event_class, event_subclass) in EXCEPTIONAL or (event_class, ANY) in EXCEPTIONAL


def any_exceptional(counts: Counts) -> bool:
    """Whether any of the events that were counted is one."""
    return any(is_exceptional(key.event_class, key.event_subclass, key.error) for key in counts)


def exceptions_of(instance: str, events: Iterable[tuple[int, Event]]) -> Exceptions:
    """Return the exceptional events of an instance, summed by kind and hour."""
    found: Exceptions = {}
    for at, event in events:
        event_class, subclass, database, error = kind_of(event)
        if is_exceptional(event_class, subclass, error):
            target, address, text, *conversation = _DETAILS[type(event)](event)
            what = (event_class, int(subclass), database, error, target, address, text[:LONGEST_TEXT])
            _add(found, (Exceptional(instance, *what), at - at % HOUR_MS), ExceptionSums(1, at, at, *conversation))
    return found


def add(found: Exceptions, more: Exceptions) -> None:
    """More of the same, into the first; as many different ones as may be."""
    for key, seen in more.items():
        _add(found, key, seen)


def _add(found: Exceptions, key: tuple[Exceptional, int], seen: ExceptionSums) -> None:
    before = found.get(key)
    if before is not None:
        events, first, last = before.events + seen.events, before.first_at, before.last_at
        found[key] = seen._replace(events=events, first_at=min(first, seen.first_at), last_at=max(last, seen.last_at))
    elif len(found) < MOST_AT_ONCE:
        found[key] = seen

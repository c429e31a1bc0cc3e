"""Broker events as values, with SQL Server's trace event numbers and names, and three of BrokerUI's own from 1001 on.

The engine returns them with the changes they report; they are valid once these are committed, and have their time.
"""

from __future__ import annotations

from typing import NamedTuple

from routing.common.event_subclasses import (
    ActivationSubclass,
    ClassifySubclass,
    ConversationSubclass,
    GroupSubclass,
    SentSubclass,
)
from routing.common.network_events import (
    Acknowledgement,
    AuditBrokerConversation,
    AuditBrokerLogin,
    BrokerConnection,
    CorruptedMessage,
    ForwardedMessageDropped,
    ForwardedMessageSent,
    MessageUndeliverable,
    MirroredRouteStateChanged,
)


class ConversationEvent(NamedTuple):
    """Broker:Conversation. An endpoint changed, or sent or received something."""

    subclass: ConversationSubclass
    database: str
    state: str
    """TextData: the state afterwards; empty when the endpoint is gone."""
    conversation_id: str
    conversation_handle: str
    conversation_group_id: str
    is_initiator: bool
    service_name: str = ""
    far_service: str = ""
    far_broker_instance: str | None = None
    message_sequence_number: int = -1
    """Number of the message that was sent or put into the queue; -1: there is none."""
    size: int = 0
    """Size of its body in bytes."""

    @property
    def number(self) -> int:
        return 124


class ConversationGroupEvent(NamedTuple):
    """Broker:Conversation Group. A group was created, or dropped with its last conversation."""

    subclass: GroupSubclass
    database: str
    conversation_group_id: str

    @property
    def number(self) -> int:
        return 136


class MessageClassify(NamedTuple):
    """Broker:Message Classify. Routing decided where a message goes."""

    subclass: ClassifySubclass
    database: str
    conversation_id: str
    to_service: str
    to_broker_instance: str | None
    next_hop: str
    """The network address; empty for local and delayed ones."""
    is_from_network: bool
    reason: int
    """Number of the reason for a delay; 0: it is not delayed."""
    from_service: str = ""
    from_initiator: bool = False
    """True if the initiator sent it."""
    route: str | None = None
    """The chosen route; None: no route was needed, or none matches."""

    @property
    def number(self) -> int:
        return 141


class QueueDisabled(NamedTuple):
    """A queue was disabled after five rollbacks in a row of transactions that received from it."""

    database: str
    queue: str

    @property
    def number(self) -> int:
        return 143


class BrokerActivation(NamedTuple):
    """Broker:Activation. A queue reader that activation started changed its state."""

    subclass: ActivationSubclass
    database: str
    queue: str
    procedure: str
    text: str = ""
    """TextData: what went wrong; empty where nothing did."""

    @property
    def number(self) -> int:
        return 163


class MessagesSent(NamedTuple):
    """BrokerUI:Messages Sent. Messages of a conversation were sent to their next hop, as far as the window allowed."""

    subclass: SentSubclass
    """SENT_AGAIN: some of them had been sent before and were not acknowledged."""
    database: str
    conversation_id: str
    conversation_handle: str
    is_initiator: bool
    service_name: str
    far_service: str
    far_broker_instance: str | None
    route: str | None
    next_hop: str
    attempts: int
    """Number of failed attempts in a row before this one."""
    first_message_sequence_number: int
    message_sequence_number: int
    """Number of the last message."""
    messages: int
    size: int
    """Bytes of their bodies that were sent."""
    enqueue_time: int
    """When the first of them entered the transmission queue, in milliseconds."""

    @property
    def number(self) -> int:
        return 1001


class MessagesReceived(NamedTuple):
    """BrokerUI:Messages Received. An application received messages of a conversation from its queue."""

    database: str
    queue: str
    conversation_handle: str
    first_message_sequence_number: int
    """-1: they are timer and error messages, which have no number."""
    message_sequence_number: int
    messages: int
    size: int
    """Bytes of their bodies."""
    enqueue_time: int
    """When the oldest of them entered the queue, in milliseconds."""

    @property
    def number(self) -> int:
        return 1002


class StatusChanged(NamedTuple):
    """BrokerUI:Transmission Status Changed. Messages of a conversation wait for another reason, or no longer."""

    database: str
    conversation_id: str
    conversation_handle: str
    is_initiator: bool
    service_name: str
    far_service: str
    far_broker_instance: str | None
    status: int
    """As `transmission_status`: a number of `routing.dialog.problems`, 0: none."""
    previous_status: int

    @property
    def number(self) -> int:
        return 1003


Event = (
    ConversationEvent
    | ConversationGroupEvent
    | ForwardedMessageSent
    | ForwardedMessageDropped
    | MessageClassify
    | BrokerActivation
    | BrokerConnection
    | QueueDisabled
    | MirroredRouteStateChanged
    | Acknowledgement
    | AuditBrokerConversation
    | AuditBrokerLogin
    | MessageUndeliverable
    | CorruptedMessage
    | MessagesSent
    | MessagesReceived
    | StatusChanged
)

FIRST_OWN_EVENT = 1001
"""The lowest number of BrokerUI's own events."""
EVENT_NAMES = {
    124: "Broker:Conversation",
    136: "Broker:Conversation Group",
    138: "Broker:Connection",
    139: "Broker:Forwarded Message Sent",
    140: "Broker:Forwarded Message Dropped",
    141: "Broker:Message Classify",
    143: "Broker:Queue Disabled",
    144: "Broker:Mirrored Route State Changed",
    149: "Broker:Remote Message Acknowledgement",
    158: "Audit Broker Conversation",
    159: "Audit Broker Login",
    160: "Broker:Message Undeliverable",
    161: "Broker:Corrupted Message",
    163: "Broker:Activation",
    1001: "BrokerUI:Messages Sent",
    1002: "BrokerUI:Messages Received",
    1003: "BrokerUI:Transmission Status Changed",
}
"""Names of the event classes by number: SQL Server's, and BrokerUI's own."""

"""Broker events as values, with SQL Server's trace event numbers and names, and three of BrokerUI's own from 1001 on.

The engine returns them with the changes they report; they are valid once these are committed, and have their time.
"""

from __future__ import annotations

from enum import IntEnum
from typing import NamedTuple


class ConversationSubclass(IntEnum):
    """Subclasses of Broker:Conversation."""

    SEND_MESSAGE = 1
    END_CONVERSATION = 2
    END_CONVERSATION_WITH_ERROR = 3
    BROKER_INITIATED_ERROR = 4
    TERMINATE_DIALOG = 5
    RECEIVED_SEQUENCED_MESSAGE = 6
    RECEIVED_END_CONVERSATION = 7
    RECEIVED_END_CONVERSATION_WITH_ERROR = 8
    RECEIVED_BROKER_ERROR_MESSAGE = 9
    RECEIVED_END_CONVERSATION_ACK = 10
    BEGIN_DIALOG = 11
    DIALOG_CREATED = 12
    END_CONVERSATION_WITH_CLEANUP = 13


class GroupSubclass(IntEnum):
    """Subclasses of Broker:Conversation Group."""

    CREATE = 1
    DROP = 2


class ClassifySubclass(IntEnum):
    """Subclasses of Broker:Message Classify."""

    LOCAL = 1
    REMOTE = 2
    DELAYED = 3


class UndeliverableSubclass(IntEnum):
    """Subclasses of Broker:Message Undeliverable."""

    SEQUENCED_MESSAGE = 1
    UNSEQUENCED_MESSAGE = 2


class AcknowledgementSubclass(IntEnum):
    """Subclasses of Broker:Remote Message Acknowledgement."""

    MESSAGE_WITH_ACKNOWLEDGEMENT_SENT = 1
    ACKNOWLEDGEMENT_SENT = 2
    MESSAGE_WITH_ACKNOWLEDGEMENT_RECEIVED = 3
    ACKNOWLEDGEMENT_RECEIVED = 4


class ConnectionSubclass(IntEnum):
    """Subclasses of Broker:Connection."""

    CONNECTING = 1
    CONNECTED = 2
    CONNECT_FAILED = 3
    CLOSING = 4
    CLOSED = 5
    ACCEPT = 6
    SEND_IO_ERROR = 7
    RECEIVE_IO_ERROR = 8


class AuditSubclass(IntEnum):
    """Subclasses of Audit Broker Conversation; "Run As Target Failure" has no cause here."""

    NO_SECURITY_HEADER = 1
    NO_CERTIFICATE = 2
    INVALID_SIGNATURE = 3


class LoginSubclass(IntEnum):
    """Subclasses of Audit Broker Login."""

    LOGIN_SUCCESS = 1
    LOGIN_PROTOCOL_ERROR = 2
    MESSAGE_FORMAT_ERROR = 3
    NEGOTIATE_FAILURE = 4
    AUTHENTICATION_FAILURE = 5
    AUTHORIZATION_FAILURE = 6


class ActivationSubclass(IntEnum):
    """Subclasses of Broker:Activation; "Task Output" (5) is not told: tasks write into logs."""

    STARTED = 1
    ENDED = 2
    ABORTED = 3
    NOTIFIED = 4
    FAILED_TO_START = 6


class MirroredRouteSubclass(IntEnum):
    """Subclasses of Broker:Mirrored Route State Changed."""

    OPERATIONAL = 1
    OPERATIONAL_WITH_PRINCIPAL_ONLY = 2
    NOT_OPERATIONAL = 3


class SentSubclass(IntEnum):
    """Subclasses of BrokerUI:Messages Sent."""

    SENT = 1
    SENT_AGAIN = 2


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


class ForwardedMessage(NamedTuple):
    """A row of sys.dm_broker_forwarded_messages: a fragment from another instance; part of the forwarding events."""

    conversation_id: str
    is_initiator: bool
    to_service_name: str
    to_broker_instance: str | None
    from_service_name: str
    from_broker_instance: str | None
    adjacent_broker_address: str
    """Address of the next hop; empty: there is none."""
    message_sequence_number: int
    message_fragment_number: int
    hops_remaining: int
    time_to_live: int
    """Milliseconds, as `time_consumed`."""
    time_consumed: int
    message_id: str


class ForwardedMessageSent(NamedTuple):
    """A fragment was sent to its next hop; `message` has the hops and time that remain from there on."""

    message: ForwardedMessage
    route: str | None = None

    @property
    def number(self) -> int:
        return 139


class ForwardedMessageDropped(NamedTuple):
    """A fragment was not forwarded; its sender retransmits it."""

    message: ForwardedMessage
    reason: int
    route: str | None = None

    @property
    def number(self) -> int:
        return 140


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


class MirroredRouteStateChanged(NamedTuple):
    """The principal of a mirrored route changed or was lost, or its partner became available or unavailable."""

    subclass: MirroredRouteSubclass
    address: str
    mirror_address: str
    service: str
    broker_instance: str | None
    """The identifier in force."""
    principal: str
    """Address of the principal; empty: there is none, and nothing is sent."""

    @property
    def number(self) -> int:
        return 144


class BrokerConnection(NamedTuple):
    """Broker:Connection. A network connection changed its state."""

    subclass: ConnectionSubclass
    connection_id: str
    """Empty: the connection has no identifier yet, or was refused before it had one."""
    address: str
    """The peer's address: the network address that was dialled, or the accepted host and port."""
    text: str
    """TextData: the error; empty if there is none."""
    times_closed: int = 0
    """IntegerData: number of times it was closed."""

    @property
    def number(self) -> int:
        return 138


class AuditBrokerConversation(NamedTuple):
    """A fragment lacks the protection of its dialog, or names unknown keys."""

    subclass: AuditSubclass
    database: str
    conversation_id: str
    text: str
    """TextData: the field, and the error in it."""

    @property
    def number(self) -> int:
        return 158


class AuditBrokerLogin(NamedTuple):
    """A connection came online, or its peer's login failed."""

    subclass: LoginSubclass
    connection_id: str
    address: str
    peer: str
    """The instance name that the peer gives; empty: it gave none."""
    principal: str
    """The name of its certificate; empty: it has none."""
    text: str
    """TextData: why its login failed."""

    @property
    def number(self) -> int:
        return 159


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


class MessageUndeliverable(NamedTuple):
    """A received message was discarded. Its sender is not informed."""

    subclass: UndeliverableSubclass
    database: str
    """Empty: no database was found for the message."""
    conversation_id: str
    message_sequence_number: int
    last_acknowledged: int
    """Number of its sender's last acknowledged message; -1: none."""
    reason: int

    @property
    def number(self) -> int:
        return 160


class Acknowledgement(NamedTuple):
    """A range of fragments was acknowledged, by this side or by its peer."""

    subclass: AcknowledgementSubclass
    database: str
    conversation_id: str
    message_sequence_number: int
    """BigintData2: message number of the last fragment in the range."""
    fragment: int
    """IntegerData2: its fragment number; the highest possible number if the whole message is acknowledged."""
    first_message_sequence_number: int = 0
    """Message number of the first fragment in the range."""
    from_initiator: bool = False
    """True if the initiator sent the acknowledged fragments."""

    @property
    def number(self) -> int:
        return 149


class CorruptedMessage(NamedTuple):
    """A received frame is malformed or was changed on the way (INT-1); it is discarded and not acknowledged."""

    database: str
    """Empty: the frame could not be read that far."""
    conversation_id: str
    """Empty: the frame could not be read that far."""
    what: str
    """TextData: the field, and the error in it."""
    reason: int
    """SQL Server's error number; 0: it has none."""

    @property
    def number(self) -> int:
        return 161


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

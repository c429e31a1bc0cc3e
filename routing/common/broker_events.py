"""Broker events, with the product's numbers and names, and from 1001 on three of our own: what happened, as values.

The engine gives them out with the changes they belong to; they count once these are committed. The moment is that of
the changes.
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
    """Something changed an endpoint, or passed through it."""

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
    """Of the message that was sent, or put into the queue; -1: none was."""
    size: int = 0
    """Of its body, in bytes."""

    @property
    def number(self) -> int:
        return 124


class ConversationGroupEvent(NamedTuple):
    """A group came into being, or its last conversation left it."""

    subclass: GroupSubclass
    database: str
    conversation_group_id: str

    @property
    def number(self) -> int:
        return 136


class ForwardedMessage(NamedTuple):
    """A row of sys.dm_broker_forwarded_messages, and what the events tell of it: a fragment that others sent."""

    conversation_id: str
    is_initiator: bool
    to_service_name: str
    to_broker_instance: str | None
    from_service_name: str
    from_broker_instance: str | None
    adjacent_broker_address: str
    """Of the next hop; empty where there is none."""
    message_sequence_number: int
    message_fragment_number: int
    hops_remaining: int
    time_to_live: int
    """Milliseconds, as `time_consumed`."""
    time_consumed: int
    message_id: str


class ForwardedMessageSent(NamedTuple):
    """A fragment went on to its next hop, with the hops and the time that it has from there on."""

    message: ForwardedMessage
    route: str | None = None

    @property
    def number(self) -> int:
        return 139


class ForwardedMessageDropped(NamedTuple):
    """A fragment that was to be forwarded was not; whoever has sent it sends it again."""

    message: ForwardedMessage
    reason: int
    route: str | None = None

    @property
    def number(self) -> int:
        return 140


class MessageClassify(NamedTuple):
    """Where routing sends a message that stands here."""

    subclass: ClassifySubclass
    database: str
    conversation_id: str
    to_service: str
    to_broker_instance: str | None
    next_hop: str
    """The network address; empty for local and delayed ones."""
    is_from_network: bool
    reason: int
    """Why it is delayed; 0: it is not."""
    from_service: str = ""
    from_initiator: bool = False
    """Whether the initiator has sent it."""
    route: str | None = None
    """The one chosen; None: none was asked, or there is none."""

    @property
    def number(self) -> int:
        return 141


class QueueDisabled(NamedTuple):
    """A queue was switched off because transactions that received from it were rolled back again and again."""

    database: str
    queue: str

    @property
    def number(self) -> int:
        return 143


class MirroredRouteStateChanged(NamedTuple):
    """Another partner of a mirrored route is the principal, or none is, or the other one has come or gone."""

    subclass: MirroredRouteSubclass
    address: str
    mirror_address: str
    service: str
    broker_instance: str | None
    """The identifier in force."""
    principal: str
    """The address of the principal; empty: nothing is sent."""

    @property
    def number(self) -> int:
        return 144


class BrokerConnection(NamedTuple):
    """Something happened to a network connection."""

    subclass: ConnectionSubclass
    connection_id: str
    """Empty: there is none yet, or it was refused before it had one."""
    address: str
    """Of the other end: the network address that was dialled, or host and port that were accepted."""
    text: str
    """TextData: what went wrong; empty where nothing did."""
    times_closed: int = 0
    """IntegerData: how many were closed."""

    @property
    def number(self) -> int:
        return 138


class AuditBrokerConversation(NamedTuple):
    """A fragment does not have the protection of its dialog, or names keys that are not known here."""

    subclass: AuditSubclass
    database: str
    conversation_id: str
    text: str
    """TextData: which field, and what is wrong with it."""

    @property
    def number(self) -> int:
        return 158


class AuditBrokerLogin(NamedTuple):
    """A connection came online, or its peer was not let in."""

    subclass: LoginSubclass
    connection_id: str
    address: str
    peer: str
    """The instance as which the peer presents itself; empty: it has not."""
    principal: str
    """The name of its certificate; empty where there is none."""
    text: str
    """TextData: why it was not let in."""

    @property
    def number(self) -> int:
        return 159


class BrokerActivation(NamedTuple):
    """Something happened to a reader of a queue, which the activation of that queue has started."""

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
    """A message was received and is not kept here. Its sender does not see this."""

    subclass: UndeliverableSubclass
    database: str
    """Empty: the message found no database."""
    conversation_id: str
    message_sequence_number: int
    last_acknowledged: int
    """The last number of its sender's that was acknowledged; -1: none."""
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
    """BigintData2: of the last fragment in the range."""
    fragment: int
    """IntegerData2; the highest number that there is where the whole message was."""
    first_message_sequence_number: int = 0
    """Of the first fragment in the range."""
    from_initiator: bool = False
    """Whether the initiator has sent what is acknowledged."""

    @property
    def number(self) -> int:
        return 149


class CorruptedMessage(NamedTuple):
    """What came cannot have been sent so, or was changed on the way (INT-1): discarded, and not acknowledged."""

    database: str
    """Empty: it was not read so far."""
    conversation_id: str
    """Empty: it was not read so far."""
    what: str
    """TextData: which field, and what is wrong with it."""
    reason: int
    """The product's number, where it has one; else 0."""

    @property
    def number(self) -> int:
        return 161


class MessagesSent(NamedTuple):
    """Messages of a conversation left for their next hop, as far as its window let them."""

    subclass: SentSubclass
    """Again: some had left before, and were not acknowledged."""
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
    """That failed before, in a row."""
    first_message_sequence_number: int
    message_sequence_number: int
    """Of the last of them."""
    messages: int
    size: int
    """Of what left of their bodies, in bytes."""
    enqueue_time: int
    """When the first of them came into the transmission queue."""

    @property
    def number(self) -> int:
        return 1001


class MessagesReceived(NamedTuple):
    """An application received messages of a conversation from its queue."""

    database: str
    queue: str
    conversation_handle: str
    first_message_sequence_number: int
    """-1: they are timers and errors, which have none."""
    message_sequence_number: int
    messages: int
    size: int
    """Of their bodies, in bytes."""
    enqueue_time: int
    """When the one that stood there longest came into the queue."""

    @property
    def number(self) -> int:
        return 1002


class StatusChanged(NamedTuple):
    """What a conversation has to send waits for another reason than before, or for none any more."""

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
"""The first number that is not the product's."""
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
"""The event classes by number: the product's, and our own."""

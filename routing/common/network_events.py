"""Broker events of connections, frames and messages of other instances: forwarded, acknowledged, refused."""

from __future__ import annotations

from typing import NamedTuple

from routing.common.event_subclasses import (
    AcknowledgementSubclass,
    AuditSubclass,
    ConnectionSubclass,
    LoginSubclass,
    MirroredRouteSubclass,
    UndeliverableSubclass,
)


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

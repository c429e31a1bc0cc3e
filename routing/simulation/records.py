"""Records of what happened in a world: applications, brokers, network, faults. Checkers read nothing else.

`at` is world time in milliseconds, `now` the clock of the acting broker. Bodies are stored as size and digest.
"""

from __future__ import annotations

from typing import NamedTuple

from routing.adjacent.fragment import Header
from routing.common.broker_events import Event
from routing.model.estate import Estate
from routing.security.instance_security import DialogProtection
from routing.simulation.application_records import (
    ApplicationEnded,
    ApplicationReceived,
    ApplicationSent,
    BodyDigest,
    DialogBegan,
    ReceiveFinished,
    VerbRefused,
)


# ------------------------------------------------------------------------------------------------ brokers
class EndpointSnapshot(NamedTuple):
    """The state of an endpoint in a commit."""

    handle: str
    conversation_id: str
    is_initiator: bool
    database: str
    queue: str
    service: str
    far_service: str
    far_broker_instance: str | None
    state: str
    lifetime: int
    send_sequence: int
    transmitted: int
    acknowledged_sequence: int
    receive_sequence: int
    attempts: int
    next_attempt: int | None
    encryption: bool
    """As given by BEGIN DIALOG; always False for a target."""


class KeptMessage(NamedTuple):
    """A message or fragment in a queue, a transmission queue or a reassembly buffer."""

    handle: str
    sequence: int
    fragment: int
    fragments: int
    message_type: str
    body: BodyDigest
    kind: str
    """Empty for an application message, else `end` or `error`."""


class RetainedRow(NamedTuple):
    """A message that RETENTION keeps in a queue."""

    handle: str
    status: int
    sequence: int
    message_type: str
    body: BodyDigest


class Committed(NamedTuple):
    """A commit that became durable."""

    at: int
    broker: str
    now: int
    """By the clock of the broker."""
    taken: tuple[tuple[str, int, str], ...]
    """Received messages: handle, sequence number and type."""
    acknowledged_below: tuple[tuple[str, int], ...]
    """Acknowledged messages: handle, and the number below which they left the transmission queue."""
    cleared_queues: tuple[str, ...]
    unbuffered: tuple[tuple[str, int], ...]
    dropped_from: tuple[tuple[str, int], ...]
    """Dropped messages: handle, and the number from which on they left the transmission queue."""
    removed: tuple[str, ...]
    endpoints: tuple[EndpointSnapshot, ...]
    enqueued: tuple[KeptMessage, ...]
    retained: tuple[RetainedRow, ...]
    """Messages that RETENTION keeps from now on, received and sent ones."""
    buffered: tuple[KeptMessage, ...]
    outgoing: tuple[KeptMessage, ...]
    queues: tuple[tuple[str, str, bool], ...]
    requests: tuple[tuple[str, str, str | None], ...]
    """Route requests: database, service and handle of the dialog; None: ended."""
    retry_all: bool
    events: tuple[Event, ...]


class EventsReported(NamedTuple):
    """Events that a broker reported."""

    at: int
    broker: str
    events: tuple[tuple[int, Event], ...]


class BrokerStarted(NamedTuple):
    """A broker started with an estate."""

    at: int
    broker: str
    estate: Estate


class BrokerStopped(NamedTuple):
    """A broker stopped; its memory is lost."""

    at: int
    broker: str
    why: str


class BrokerBroke(NamedTuple):
    """A broker raised an unexpected exception and stopped."""

    at: int
    broker: str
    error: str


class FailedOver(NamedTuple):
    """A mirrored database moved to its other partner, the new principal."""

    at: int
    principal: str
    mirror: str


class BrokerRenewed(NamedTuple):
    """A database has a new broker; the next commit deletes its conversations."""

    at: int
    broker: str
    database: str
    identifier: str


class ConversationsErred(NamedTuple):
    """ERROR_BROKER_CONVERSATIONS in a database; its commit comes next, before any other of the broker's."""

    at: int
    broker: str
    database: str


# ------------------------------------------------------------------------------------------------ the network
class FrameSent(NamedTuple):
    """A broker handed a frame to the network."""

    at: int
    broker: str
    now: int
    number: int
    address: str
    to: str
    """Name of the broker at that address; empty if there is none."""
    size: int
    header: Header | None
    """Header of a fragment, else None."""
    raw: bytes
    """Bytes of any other frame; empty for a fragment."""
    protection: DialogProtection | None
    """Protection of a fragment, else None."""
    body: BodyDigest | None
    """Body of a fragment as sent, readable for every hop unless encrypted."""


class FrameArrived(NamedTuple):
    """A broker received a frame, in one batch with those of the same time."""

    at: int
    broker: str
    now: int
    number: int
    """Number of the frame sent."""
    damage: str
    """How the frame was damaged; empty if not."""
    harm: frozenset[int]
    """Indexes of the damaged bytes."""


class FrameLost(NamedTuple):
    """A frame, or a copy of it, was lost."""

    at: int
    number: int
    why: str


class FaultNoted(NamedTuple):
    """A planned fault began or ended."""

    at: int
    what: str


class WorldHealed(NamedTuple):
    """Phase two begins: no more faults."""

    at: int


class RetainedLeft(NamedTuple):
    """The rows that RETENTION keeps in the queues of a broker at the end of the world, read from its store."""

    at: int
    broker: str
    rows: tuple[RetainedRow, ...]


class WorldOver(NamedTuple):
    """The run ended. `is_quiet`: nothing was left to do."""

    at: int
    is_quiet: bool


Record = (
    DialogBegan
    | ApplicationSent
    | ApplicationReceived
    | ApplicationEnded
    | ReceiveFinished
    | VerbRefused
    | Committed
    | EventsReported
    | BrokerStarted
    | BrokerStopped
    | BrokerBroke
    | FailedOver
    | BrokerRenewed
    | ConversationsErred
    | FrameSent
    | FrameArrived
    | FrameLost
    | FaultNoted
    | WorldHealed
    | RetainedLeft
    | WorldOver
)

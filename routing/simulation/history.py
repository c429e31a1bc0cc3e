"""What happened in a world, as plain values: all that checkers know.

A record holds the moment of the world and, where a broker did it, what that broker's clock said. Bodies are kept as
their size and digest.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from hashlib import blake2b
from typing import NamedTuple

from routing.adjacent.fragment import Header
from routing.common.broker_events import Event
from routing.model.estate import Estate
from routing.security.instance_security import DialogProtection
from routing.simulation.clock import START
from routing.simulation.world import World


class BodyDigest(NamedTuple):
    """What tells one body from another."""

    size: int
    digest: str


def body_of(body: bytes | None) -> BodyDigest:
    raw = body or b""
    return BodyDigest(len(raw), blake2b(raw, digest_size=8).hexdigest())


# ------------------------------------------------------------------------------------------------ applications
class DialogBegan(NamedTuple):
    """BEGIN DIALOG, committed."""

    at: int
    broker: str
    conversation: int
    """The number of its plan."""
    conversation_id: str
    handle: str
    database: str
    from_service: str
    to_service: str
    identifier: str | None
    encryption: bool
    lifetime: int
    """By the clock of the broker."""


class ApplicationSent(NamedTuple):
    """SEND, committed."""

    at: int
    broker: str
    handle: str
    message_type: str
    body: BodyDigest


class ApplicationReceived(NamedTuple):
    """A message of a RECEIVE that was committed."""

    at: int
    broker: str
    handle: str
    sequence: int
    message_type: str
    body: BodyDigest
    code: int
    """Of an Error; 0: it is none."""


class ApplicationEnded(NamedTuple):
    """END CONVERSATION, committed."""

    at: int
    broker: str
    handle: str
    how: str
    """`end`, `error` or `cleanup`."""


class ReceiveFinished(NamedTuple):
    """A transaction that received from a queue has ended, and it was told how, because it counts (poison)."""

    at: int
    broker: str
    database: str
    queue: str
    is_rolled_back: bool


class VerbRefused(NamedTuple):
    """A verb that the engine refused."""

    at: int
    broker: str
    verb: str
    handle: str
    number: int


# ------------------------------------------------------------------------------------------------ brokers
class EndpointSnapshot(NamedTuple):
    """An endpoint as it became durable."""

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
    """As BEGIN DIALOG gave it; a target's is never on."""


class KeptMessage(NamedTuple):
    """A message or a fragment in a queue or a transmission queue, or held before its turn."""

    handle: str
    sequence: int
    fragment: int
    fragments: int
    message_type: str
    body: BodyDigest
    kind: str
    """`` an application's, `end`, or `error`."""


class Committed(NamedTuple):
    """A commit that became durable."""

    at: int
    broker: str
    now: int
    """By the clock of the broker."""
    taken: tuple[tuple[str, int, str], ...]
    """Out of a queue by RECEIVE: handle, number and type."""
    acknowledged_below: tuple[tuple[str, int], ...]
    """Out of the transmission queue, because acknowledged: handle, and below which number."""
    cleared_queues: tuple[str, ...]
    unbuffered: tuple[tuple[str, int], ...]
    dropped_from: tuple[tuple[str, int], ...]
    """Out of the transmission queue, because nobody wants them: handle, and from which number on."""
    removed: tuple[str, ...]
    endpoints: tuple[EndpointSnapshot, ...]
    enqueued: tuple[KeptMessage, ...]
    buffered: tuple[KeptMessage, ...]
    outgoing: tuple[KeptMessage, ...]
    queues: tuple[tuple[str, str, bool], ...]
    requests: tuple[tuple[str, str, str | None], ...]
    """Database and service for which a route was asked, with the handle of the dialog; None: it has ended."""
    retry_all: bool
    events: tuple[Event, ...]


class EventsReported(NamedTuple):
    """Events that a broker gave out."""

    at: int
    broker: str
    events: tuple[tuple[int, Event], ...]


class BrokerStarted(NamedTuple):
    """A broker came up, with an estate."""

    at: int
    broker: str
    estate: Estate


class BrokerStopped(NamedTuple):
    """A broker is gone, with all that it had in memory."""

    at: int
    broker: str
    why: str


class BrokerBroke(NamedTuple):
    """A broker raised what it never may; it is gone."""

    at: int
    broker: str
    error: str


class FailedOver(NamedTuple):
    """What a mirrored database holds is now with its other partner, the principal from now on."""

    at: int
    principal: str
    mirror: str


class BrokerRenewed(NamedTuple):
    """A database has a new broker: the next commit takes its conversations away."""

    at: int
    broker: str
    database: str
    identifier: str


# ------------------------------------------------------------------------------------------------ the network
class FrameSent(NamedTuple):
    """A frame that a broker gave to the network."""

    at: int
    broker: str
    now: int
    number: int
    address: str
    to: str
    """The broker at that address; empty: there is none."""
    size: int
    header: Header | None
    """Of a fragment."""
    raw: bytes
    """Of any other frame; empty for a fragment."""
    protection: DialogProtection | None
    """Of a fragment."""
    body: BodyDigest | None
    """Of a fragment, as it stands there for everybody on the way to read."""


class FrameArrived(NamedTuple):
    """A frame that a broker was given, in one batch with those of the same moment."""

    at: int
    broker: str
    now: int
    number: int
    """Of the frame that left."""
    damage: str
    """How it was changed on the way; empty: not at all."""
    harm: frozenset[int]
    """Which bytes were changed."""


class FrameLost(NamedTuple):
    """A frame, or a copy of one, that nobody got."""

    at: int
    number: int
    why: str


class FaultNoted(NamedTuple):
    """Something went wrong that was to, or is right again."""

    at: int
    what: str


class WorldHealed(NamedTuple):
    """Phase two: nothing goes wrong from here on."""

    at: int


class WorldOver(NamedTuple):
    """The world ends. `is_quiet`: there was nothing left to be done."""

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
    | FrameSent
    | FrameArrived
    | FrameLost
    | FaultNoted
    | WorldHealed
    | WorldOver
)


class WorldHistory:
    """The records of a world, in the order in which they happened."""

    __slots__ = ("records", "world")

    def __init__(self, world: World) -> None:
        self.world = world
        self.records: list[Record] = []

    def add(self, record: Record) -> None:
        self.records.append(record)

    def extend(self, records: Iterable[Record]) -> None:
        self.records.extend(records)

    def lines(self) -> Iterator[str]:
        """All of it as text, the same for the same world."""
        for record in self.records:
            estate = f"estate of {len(record.estate.instances)}" if isinstance(record, BrokerStarted) else ""
            values = (estate if isinstance(value, Estate) else _shown(value) for value in record)
            yield f"{type(record).__name__} {' '.join(values)}"

    @property
    def duration(self) -> int:
        """Milliseconds that passed in the world."""
        return self.records[-1].at - START if self.records else 0


def _shown(value: object) -> str:
    return str(sorted(value)) if isinstance(value, frozenset) else str(value)

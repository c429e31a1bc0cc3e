"""What a store hands out and takes back: whole conversations in, all their changes out, a batch at a time."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from routing.common.broker_events import Event
from routing.dialog.endpoint import ConversationGroupState, ConversationKey, Endpoint, QueueKey
from routing.dialog.messages import BufferedFragment, FragmentNumber, OutboundMessage, QueuedMessage
from routing.dialog.transmission import Transmission
from routing.mirror.state_machine import MirroredRoute, MirroredRouteKey

MAX_OUTGOING_PER_CLAIM = 100
"""Messages of one conversation that a batch holds at most: a long conversation must not keep the others waiting."""


RouteRequestKey = tuple[str, str]
"""Database and service: what a route was asked for at the dynamic routing service (MATCH-4)."""


@dataclass(frozen=True, slots=True)
class ReceiveRequest:
    """Messages of the first conversation group of a queue that has any and is not locked."""

    queue: QueueKey
    top: int | None = None
    """At most so many; None: all of the group; 0: only the group (GET CONVERSATION GROUP)."""
    handle: str | None = None
    """Only this conversation."""
    group: str | None = None
    """Only this group."""
    only: tuple[int, ...] = ()
    """Exactly these messages, by their queuing order, as far as they are still there, of a group that the same claim
    locks by name: what an application was shown before, and takes now."""


@dataclass(frozen=True, slots=True)
class ClaimRequest:
    """What to claim."""

    handles: tuple[str, ...] = ()
    """For an application: these conversations, their groups locked."""
    groups: tuple[str, ...] = ()
    """For an application: these groups, locked."""
    conversations: tuple[ConversationKey, ...] = ()
    """For the engine: the conversations of these endpoints, whether they exist or not; no group is locked."""
    due: int = 0
    """For the engine: so many conversations in which something is due."""
    receive: ReceiveRequest | None = None
    bodies: tuple[tuple[str, int], ...] = ()
    """Held messages, by handle and number, that are to be put together: of conversations that are claimed."""
    token: int = 0
    """A claim to be added to; 0: a new one."""


@dataclass(slots=True)
class ClaimedBatch:
    """What was claimed. It is the claimer's alone until it commits or releases the token; nobody changes it."""

    token: int
    endpoints: dict[str, Endpoint] = field(default_factory=dict)
    """By handle: of every conversation claimed, both sides where both are here."""
    handles: dict[ConversationKey, str] = field(default_factory=dict)
    groups: dict[str, ConversationGroupState] = field(default_factory=dict)
    """Those of the endpoints, and those asked for."""
    off: frozenset[QueueKey] = frozenset()
    """The queues that are off."""
    rollbacks: Mapping[QueueKey, int] = field(default_factory=dict)
    """Of queues: how many transactions that received from it were rolled back, since the last that was not."""
    requests: Mapping[RouteRequestKey, str] = field(default_factory=dict)
    """All route requests that are pending, with the handle of their dialog (MATCH-4)."""
    mirrored: Mapping[MirroredRouteKey, MirroredRoute] = field(default_factory=dict)
    """What is known of mirrored routes: all of it (MIR-2)."""
    outgoing: dict[str, tuple[OutboundMessage, ...]] = field(default_factory=dict)
    """By handle, in order: what is to be sent in conversations that are due for it. From `acknowledged_sequence` on
    where `next_attempt` has come, else from `sending_sequence` on."""
    due: tuple[str, ...] = ()
    """The endpoints in which something is due: of those wanted as such, and of the conversations claimed for the
    engine."""
    held: dict[str, tuple[FragmentNumber, ...]] = field(default_factory=dict)
    """By handle, in order: what endpoints hold, of those that do."""
    bodies: dict[tuple[str, int], tuple[BufferedFragment, ...]] = field(default_factory=dict)
    """By handle and number: the fragments of messages asked for, in order."""
    transmissions: dict[str, Transmission] = field(default_factory=dict)
    """By handle: transmission objects, of claimed endpoints that have one in the work table."""
    received: tuple[QueuedMessage, ...] = ()
    received_group: str | None = None
    """The group that `receive` locked; None: none has messages that anyone else has not locked."""
    is_unknown: bool = False
    """The conversation of which `receive` asks for messages is not there."""
    busy: frozenset[str | ConversationKey] = frozenset()
    """What was asked for, and another holds. Ask again later."""


@dataclass(slots=True)
class ChangeSet:
    """All that a batch changes: committed as a whole, or not at all; and the claim ends.

    A store applies them in the order of the fields.
    """

    token: int
    now: int
    received: list[QueuedMessage] = field(default_factory=list)
    """Messages that leave their queue for the application."""
    settled: dict[str, int] = field(default_factory=dict)
    """Endpoints whose messages below this number leave the transmission queue because they arrived."""
    emptied: list[str] = field(default_factory=list)
    """Endpoints whose messages leave the queue, held ones too."""
    unheld: list[tuple[str, int]] = field(default_factory=list)
    """Messages, by handle and number, whose fragments are held no longer."""
    unsent: dict[str, int] = field(default_factory=dict)
    """Endpoints whose messages from this number on leave the transmission queue."""
    removed: list[str] = field(default_factory=list)
    """Endpoints that go; their messages are gone by then."""
    moved: dict[str, str] = field(default_factory=dict)
    """Endpoints whose queued messages go to another group."""
    endpoints: dict[str, Endpoint] = field(default_factory=dict)
    """New or changed."""
    groups: dict[str, ConversationGroupState | None] = field(default_factory=dict)
    """New or changed; None: gone."""
    enqueued: list[QueuedMessage] = field(default_factory=list)
    """Into their queues, in this order."""
    held: list[BufferedFragment] = field(default_factory=list)
    outgoing: list[OutboundMessage] = field(default_factory=list)
    """Into the transmission queue."""
    transmissions: list[Transmission] = field(default_factory=list)
    """Into the work table (TOB-2)."""
    requests: dict[RouteRequestKey, str | None] = field(default_factory=dict)
    """Route requests that are new; None: ended."""
    mirrored: dict[MirroredRouteKey, MirroredRoute | None] = field(default_factory=dict)
    """What is known anew of mirrored routes; None: forgotten."""
    queues: dict[QueueKey, bool] = field(default_factory=dict)
    """Queues that are switched on or off."""
    rollbacks: dict[QueueKey, int] = field(default_factory=dict)
    """Of queues: how many transactions that received from it were rolled back; 0: that is forgotten."""
    retry_all: bool = False
    """Whatever waits in the transmission queue or is held is due now, but for what others have claimed."""
    retry_services: set[RouteRequestKey] = field(default_factory=set)
    """Of databases, with the service that the messages are for: the same for their conversations alone."""
    is_soon: bool = False
    """Others see it at once, and it need not be durable yet: nothing leaves that tells of it before `Store.harden`."""
    events: list[Event] = field(default_factory=list)

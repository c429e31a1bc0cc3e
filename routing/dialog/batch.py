"""The store's protocol: a claim hands out whole conversations, a commit takes back all their changes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

from routing.common.broker_events import Event
from routing.dialog.endpoint import ConversationGroupState, ConversationKey, Endpoint, QueueKey
from routing.dialog.messages import BufferedFragment, FragmentNumber, OutboundMessage, QueuedMessage
from routing.dialog.transmission import Transmission
from routing.mirror.state_machine import MirroredRoute, MirroredRouteKey

MAX_OUTGOING_PER_CLAIM = 100
"""Maximum messages of one conversation in a claim, so that a long conversation does not block others."""


RouteRequestKey = tuple[str, str]
"""Database and service of a route request to the dynamic routing service (MATCH-4)."""


@dataclass(frozen=True, slots=True)
class ReceiveRequest:
    """RECEIVE: messages of the queue's first conversation group that has messages and is not locked."""

    queue: QueueKey
    top: int | None = None
    """Maximum messages; None: all of the group; 0: lock the group only (GET CONVERSATION GROUP)."""
    handle: str | None = None
    """Restrict to this conversation handle."""
    group: str | None = None
    """Restrict to this conversation group."""
    only: tuple[int, ...] = ()
    """Exactly these messages, by queuing order, if they still exist; the same claim must lock `group`. Used when an
    application takes messages that it was shown before."""

    @property
    def takes_first(self) -> bool:
        """Whether it takes messages, and names none of them: then a store may receive without a claim."""
        return not self.only and (self.top is None or self.top > 0)


@dataclass(frozen=True, slots=True)
class ClaimRequest:
    """A request for messages to claim from the store."""

    handles: tuple[str, ...] = ()
    """For an application: conversations by handle; their groups are locked."""
    groups: tuple[str, ...] = ()
    """For an application: conversation groups to lock."""
    conversations: tuple[ConversationKey, ...] = ()
    """For the engine: conversations by endpoint key, existing or not; no group is locked."""
    due: int = 0
    """For the engine: maximum number of conversations with due work to claim."""
    receive: ReceiveRequest | None = None
    bodies: tuple[tuple[str, int], ...] = ()
    """Buffered messages whose fragments to load, by handle and number, of conversations already claimed."""
    token: int = 0
    """Token of the claim to extend; 0: a new claim."""
    wait_ms: int = 0
    """How long the store may wait for the conversations of `handles` that another claim holds, in milliseconds. It
    raises `Conflict` where they are still held then. A store that cannot wait returns them as busy at once."""


class InstanceKnowledge(Protocol):
    """The state of an instance as a claim has read it; `ClaimedBatch` says what each part is."""

    @property
    def off(self) -> frozenset[QueueKey]: ...

    @property
    def rollbacks(self) -> Mapping[QueueKey, int]: ...

    @property
    def requests(self) -> Mapping[RouteRequestKey, str]: ...

    @property
    def mirrored(self) -> Mapping[MirroredRouteKey, MirroredRoute]: ...


@dataclass(slots=True)
class ClaimedBatch:
    """The result of a claim. Exclusive to the claimer until it commits or releases the token; never changed."""

    token: int
    endpoints: dict[str, Endpoint] = field(default_factory=dict)
    """By handle: the endpoints of every claimed conversation, both sides if both are on this instance."""
    handles: dict[ConversationKey, str] = field(default_factory=dict)
    groups: dict[str, ConversationGroupState] = field(default_factory=dict)
    """The groups of the endpoints, and the requested groups."""
    off: frozenset[QueueKey] = frozenset()
    """Queues that are off."""
    rollbacks: Mapping[QueueKey, int] = field(default_factory=dict)
    """By queue: consecutive rollbacks of transactions that received from it."""
    requests: Mapping[RouteRequestKey, str] = field(default_factory=dict)
    """All pending route requests, with the handle of their dialog (MATCH-4)."""
    mirrored: Mapping[MirroredRouteKey, MirroredRoute] = field(default_factory=dict)
    """Stored state of all mirrored routes (MIR-2)."""
    outgoing: dict[str, tuple[OutboundMessage, ...]] = field(default_factory=dict)
    """By handle, in sequence order: messages to send. From `acknowledged_sequence` on if `next_attempt` is due, else
    from `sending_sequence` on."""
    due: tuple[str, ...] = ()
    """Handles of endpoints with due work, among those claimed as due or claimed for the engine."""
    buffered: dict[str, tuple[FragmentNumber, ...]] = field(default_factory=dict)
    """By handle, in order: the fragments in the reassembly buffer, without bodies."""
    bodies: dict[tuple[str, int], tuple[BufferedFragment, ...]] = field(default_factory=dict)
    """By handle and number: the requested buffered fragments with bodies, in order."""
    transmissions: dict[str, Transmission] = field(default_factory=dict)
    """By handle: stored transmission objects of the claimed endpoints."""
    received: tuple[QueuedMessage, ...] = ()
    received_group: str | None = None
    """The group that `receive` locked; None: no unlocked group has messages."""
    is_rest_empty: bool = False
    """Whether the queue holds no message beside those of `received`; False where the store did not look."""
    is_unknown: bool = False
    """True if `receive` names a conversation that does not exist."""
    busy: frozenset[str | ConversationKey] = frozenset()
    """Requested items that another claim holds; claim them again later."""

    def without_conversations(self) -> ClaimedBatch:
        """Return a batch with the state of the instance alone, and without a claim."""
        return ClaimedBatch(0, off=self.off, rollbacks=self.rollbacks, requests=self.requests, mirrored=self.mirrored)

    def has_instance_of(self, other: InstanceKnowledge) -> bool:
        """Return True if the state of the instance is the other one: a store gives the same objects as long as nothing
        changes."""
        are_routes_same = self.requests is other.requests and self.mirrored is other.mirrored
        return are_routes_same and self.off is other.off and self.rollbacks is other.rollbacks

    def with_endpoint(self, endpoint: Endpoint) -> ClaimedBatch:
        """Return a batch with the state of the instance and one endpoint, and without a claim."""
        batch = self.without_conversations()
        handle = endpoint.conversation_handle
        batch.endpoints[handle], batch.handles[endpoint.key] = endpoint, handle
        return batch


@dataclass(slots=True)
class ChangeSet:
    """All changes of one unit of work.

    The store commits them atomically, in the order of the fields, and ends the claim.
    """

    token: int
    now_ms: int
    received: list[QueuedMessage] = field(default_factory=list)
    """Messages that the application received; deleted from their queue."""
    retained_received: list[QueuedMessage] = field(default_factory=list)
    """Those of them that stay in it with status 0 (RETENTION), unless they have left it with their conversation."""
    acknowledged_below: dict[str, int] = field(default_factory=dict)
    """By handle: messages numbered below this were acknowledged; deleted from the transmission queue."""
    cleared_queues: list[str] = field(default_factory=list)
    """Handles whose queued, retained and buffered messages are deleted."""
    unbuffered: list[tuple[str, int]] = field(default_factory=list)
    """Messages, by handle and number, whose fragments leave the reassembly buffer."""
    dropped_from: dict[str, int] = field(default_factory=dict)
    """By handle: messages from this number on are deleted from the transmission queue, undelivered."""
    removed: list[str] = field(default_factory=list)
    """Handles of endpoints to delete; their messages are deleted before."""
    moved: dict[str, str] = field(default_factory=dict)
    """By handle: the conversation group to which its queued messages move."""
    endpoints: dict[str, Endpoint] = field(default_factory=dict)
    """New or changed endpoints, by handle."""
    groups: dict[str, ConversationGroupState | None] = field(default_factory=dict)
    """New or changed groups; None: deleted."""
    enqueued: list[QueuedMessage] = field(default_factory=list)
    """Messages to enqueue, in this order."""
    retained_sent: list[QueuedMessage] = field(default_factory=list)
    """Copies of sent messages that stay in the queue of their sender with status 3 (RETENTION)."""
    buffered: list[BufferedFragment] = field(default_factory=list)
    outgoing: list[OutboundMessage] = field(default_factory=list)
    """Messages to add to the transmission queue."""
    transmissions: list[Transmission] = field(default_factory=list)
    """Transmission objects to flush to the work table (TOB-2)."""
    requests: dict[RouteRequestKey, str | None] = field(default_factory=dict)
    """New route requests with the handle of their dialog; None: ended."""
    mirrored: dict[MirroredRouteKey, MirroredRoute | None] = field(default_factory=dict)
    """Changed state of mirrored routes; None: deleted."""
    queues: dict[QueueKey, bool] = field(default_factory=dict)
    """Queues to switch on (True) or off (False)."""
    rollbacks: dict[QueueKey, int] = field(default_factory=dict)
    """By queue: consecutive rollbacks of transactions that received from it; 0 resets the count."""
    retry_all: bool = False
    """Make everything in the transmission queue and the reassembly buffer due now, except conversations that others
    have claimed."""
    retry_services: set[RouteRequestKey] = field(default_factory=set)
    """The same as `retry_all`, limited to conversations of a database with a target service."""
    is_async_commit: bool = False
    """Commit without fsync: visible at once, durable after `Store.flush`. No frame that depends on it leaves before."""
    events: list[Event] = field(default_factory=list)

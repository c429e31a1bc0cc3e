"""An endpoint: one side of a conversation. A group: conversations that are received together.

Moments are integer milliseconds since 1970, UTC: they are compared for every message, and a database keeps them as
they are. Values that stand in a store or in a batch are never changed; `Work` changes copies of its own.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from operator import attrgetter

from routing.adjacent.guard import NO_KEY
from routing.dialog.states import CD, CO, DO, SI, SO, DialogState

REPLAY_MS = 30 * 60 * 1000
"""How long a copy of a message may be under way (the product's 30 minutes)."""
MAX_LIFETIME_S = 2**31 - 1

QueueKey = tuple[str, str]
"""Database and queue."""
ConversationKey = tuple[str, bool]
"""Conversation id and is_initiator: an endpoint, as its peer names it."""

_EXPIRING_STATES = frozenset((SO, SI, CO, DO))
"""The states in which the end of the lifetime changes something."""


@dataclass(slots=True)
class Endpoint:
    """A row of sys.conversation_endpoints, with what the engine keeps besides."""

    conversation_handle: str
    conversation_id: str
    is_initiator: bool
    database: str
    service_name: str
    queue: str
    far_service: str
    far_broker_instance: str | None
    """As BEGIN DIALOG gave it; from the first acknowledgement on, the database that gave this (RT-PIN)."""
    service_contract_name: str
    conversation_group_id: str
    lifetime: int
    """The moment at which it is over."""
    state: DialogState
    priority: int
    encryption: bool = True
    send_sequence: int = 0
    """The number of the next message to be sent."""
    transmitted: int = 0
    """Messages below this number may have left the database: nothing else may ever get their numbers."""
    acknowledged_sequence: int = 0
    """Messages below this number were acknowledged, and have left the transmission queue."""
    sending_sequence: int = 0
    """Messages below this number were sent whole since the last time that all were sent again."""
    receive_sequence: int = 0
    """The number that is expected next in the queue."""
    held: int = 0
    """Fragments that came and are not in the queue yet: parts, what came before its turn, what meets a queue that is
    off."""
    held_bytes: int = 0
    take_up_at: int | None = None
    """When what is held for a queue that is off is tried again."""
    end_dialog_sequence: int | None = None
    """The number of the EndDialog or Error by which this side ended."""
    dialog_timer: int | None = None
    security_timestamp: int | None = None
    """When a target learnt that the initiator has deleted the first message; None: not known."""
    outgoing: int = 0
    """Messages of it in the transmission queue."""
    transmission_status: int = 0
    """Why these wait, as a number of `problems`; 0: nothing was tried, or nothing failed."""
    attempts: int = 0
    """Failed in a row."""
    next_attempt: int | None = None
    """When what is not acknowledged is sent again, or what could not be sent is tried again."""
    ready_since: int | None = None
    """Since when something waits that was never sent, and may be."""
    kept_route: str | None = None
    """RT-STICKY: the route, identifier and database that were chosen."""
    kept_identifier: str | None = None
    kept_database: str | None = None
    integrity: int = 0
    """The kind of protection of its fragments (`routing.adjacent.guard`); 0: nothing has gone over the network yet."""
    key_id: bytes = NO_KEY
    fragment_bytes: int = 0
    """Of a body in one fragment; 0: nothing was sent yet. What is under way must not be cut another way."""
    due: int | None = None
    """The first moment at which something is to be done by itself. `Work` sets it."""

    @property
    def key(self) -> ConversationKey:
        return self.conversation_id, self.is_initiator

    @property
    def peer(self) -> ConversationKey:
        return self.conversation_id, not self.is_initiator

    @property
    def queue_key(self) -> QueueKey:
        return self.database, self.queue

    @property
    def in_flight(self) -> int:
        """Messages that were sent, at least in part, and not acknowledged."""
        return self.transmitted - self.acknowledged_sequence

    @property
    def replay_impossible(self) -> int:
        """The moment from which no copy of the first message can arrive any more."""
        return (self.lifetime if self.security_timestamp is None else self.security_timestamp) + REPLAY_MS

    def copied(self) -> Endpoint:
        """One to be changed."""
        return Endpoint(*_values(self))

    def first_due(self) -> int | None:
        """The first moment at which something is to be done; None: never."""
        given = (self.dialog_timer, self.next_attempt, self.ready_since, self.take_up_at)
        moments = [moment for moment in given if moment is not None]
        if self.state in _EXPIRING_STATES:
            moments.append(self.lifetime)
        elif self.state == CD:
            moments.append(self.replay_impossible)
        return min(moments, default=None)


_values = attrgetter(*(field.name for field in fields(Endpoint)))


@dataclass(slots=True)
class ConversationGroupState:
    """A row of sys.conversation_groups: conversations of one queue, received by one application at a time."""

    conversation_group_id: str
    database: str
    service_name: str
    queue: str
    conversations: int = 0
    """Its endpoints; with the last one it goes."""

    @property
    def queue_key(self) -> QueueKey:
        return self.database, self.queue

    def copied(self) -> ConversationGroupState:
        """One to be changed."""
        return ConversationGroupState(
            self.conversation_group_id, self.database, self.service_name, self.queue, self.conversations
        )

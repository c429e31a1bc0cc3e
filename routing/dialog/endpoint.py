"""Conversation endpoints (one side of a conversation) and conversation groups (received together).

Times are integer milliseconds since 1970 UTC, in memory and in the database. Values in a store or in a claimed batch
are never changed; `UnitOfWork` changes its own copies.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from operator import attrgetter
from typing import TypeGuard

from routing.adjacent.guard import NO_KEY
from routing.dialog.states import CD, CO, DO, SI, SO, DialogState

REPLAY_MS = 30 * 60 * 1000
"""Milliseconds for which the network may still deliver an old copy of a message (SQL Server: 30 minutes)."""
MAX_LIFETIME_S = 2**31 - 1
SOON_MS = 60 * 1000
"""Milliseconds for which an endpoint may stay due where nothing is left to do."""

QueueKey = tuple[str, str]
"""Database and queue."""
ConversationKey = tuple[str, bool]
"""Conversation id and is_initiator: identifies an endpoint on the wire."""

_EXPIRING_STATES = frozenset((SO, SI, CO, DO))
"""States in which the end of the lifetime has an effect."""


@dataclass(slots=True)
class Endpoint:
    """A row of sys.conversation_endpoints, plus the engine's own columns."""

    conversation_handle: str
    conversation_id: str
    is_initiator: bool
    database: str
    service_name: str
    queue: str
    far_service: str
    far_broker_instance: str | None
    """Broker identifier given by BEGIN DIALOG; after the first acknowledgement, that of its sender (RT-PIN)."""
    service_contract_name: str
    conversation_group_id: str
    lifetime: int
    """Time at which the conversation expires."""
    state: DialogState
    priority: int
    encryption: bool = True
    send_sequence: int = 0
    """Sequence number of the next message to send."""
    transmitted: int = 0
    """Messages numbered below this may have left the database; their numbers are never reused."""
    acknowledged_sequence: int = 0
    """Messages numbered below this were acknowledged and deleted from the transmission queue."""
    sending_sequence: int = 0
    """Messages numbered below this were sent completely since the last retransmission."""
    receive_sequence: int = 0
    """Sequence number of the next message expected from the peer."""
    held: int = 0
    """Fragments in the reassembly buffer: of incomplete messages, out of order, or waiting for a queue that is off."""
    held_bytes: int = 0
    take_up_at: int | None = None
    """Time at which buffered messages for a queue that is off are tried again."""
    end_dialog_sequence: int | None = None
    """Sequence number of the EndDialog or Error with which this side ended."""
    dialog_timer: int | None = None
    security_timestamp: int | None = None
    """Time at which the target learned that the initiator deleted the first message; None: not known."""
    outgoing: int = 0
    """Number of its messages in the transmission queue."""
    transmission_status: int = 0
    """Why they wait, as an error number of `problems`; 0: not tried yet, or no failure."""
    attempts: int = 0
    """Consecutive failed attempts."""
    next_attempt: int | None = None
    """Time of the next retransmission, or of the next attempt if sending failed."""
    ready_since: int | None = None
    """Time since which a never-sent message waits that may be sent now."""
    kept_route: str | None = None
    """Route, broker identifier and database chosen for this conversation (RT-STICKY)."""
    kept_identifier: str | None = None
    kept_database: str | None = None
    integrity: int = 0
    """Integrity kind of its fragments (`routing.adjacent.guard`); 0: nothing was sent over the network yet."""
    key_id: bytes = NO_KEY
    fragment_bytes: int = 0
    """Body bytes per fragment; 0: nothing sent yet. Fixed while messages are in flight."""
    due: int | None = None
    """Time at which the engine looks at it: when it must act, or earlier; set by `note_due`."""
    may_wait: bool = False
    """True if something of it waits in either direction, or did when `due` was set last; set by `note_due`."""

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
        """Number of messages sent, at least in part, and not acknowledged."""
        return self.transmitted - self.acknowledged_sequence

    @property
    def replay_impossible(self) -> int:
        """Time after which no copy of the first message can arrive any more."""
        return (self.lifetime if self.security_timestamp is None else self.security_timestamp) + REPLAY_MS

    def copied(self) -> Endpoint:
        """Return a writable copy."""
        return Endpoint(*_values(self))

    def first_due(self) -> int | None:
        """Return the earliest time at which the engine must act; None: never."""
        given = (self.dialog_timer, self.next_attempt, self.ready_since, self.take_up_at)
        moments = [moment for moment in given if moment is not None]
        if self.state in _EXPIRING_STATES:
            moments.append(self.lifetime)
        elif self.state == CD:
            moments.append(self.replay_impossible)
        return min(moments, default=None)

    def note_due(self, before: Endpoint | None, now_ms: int) -> None:
        """Set by what a store finds it. `before`: the endpoint as the store has it; None: it is new.

        A time that is soon to come stays if it is early enough: the engine then finds nothing to do, and sets the next
        one. So the row of a conversation in use changes from message to message, and its place in the indexes of the
        store does not."""
        due, self.may_wait = self.first_due(), bool(self.outgoing or self.held)
        if before is not None and _is_soon(before.due, now_ms) and (due is None or before.due <= due):
            due, self.may_wait = before.due, self.may_wait or before.may_wait
        self.due = due


def _is_soon(due: int | None, now_ms: int) -> TypeGuard[int]:
    return due is not None and now_ms < due <= now_ms + SOON_MS


_values = attrgetter(*(field.name for field in fields(Endpoint)))


@dataclass(slots=True)
class ConversationGroupState:
    """A row of sys.conversation_groups: conversations of one queue, locked by one application at a time."""

    conversation_group_id: str
    database: str
    service_name: str
    queue: str
    conversations: int = 0
    """Number of its endpoints; the group is deleted with the last one."""

    @property
    def queue_key(self) -> QueueKey:
        return self.database, self.queue

    def copied(self) -> ConversationGroupState:
        """Return a writable copy."""
        return ConversationGroupState(
            self.conversation_group_id, self.database, self.service_name, self.queue, self.conversations
        )

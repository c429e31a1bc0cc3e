"""Messages in their queue, in the transmission queue, in the reassembly buffer, and arriving at an endpoint."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

from routing.dialog.endpoint import QueueKey
from routing.dialog.system_names import ERROR_TYPE, TIMER_TYPE

RETAINED_RECEIVED = 0
"""`status` of a message that was received, and stays in its queue because of RETENTION."""
READY = 1
"""`status` of a message that RECEIVE returns."""
DISABLED = 2
"""`status` of a message that is incomplete or out of order (FRAG-3)."""
RETAINED_SENT = 3
"""`status` of a copy of a message that was sent, in the queue of the service that sent it, because of RETENTION."""


@dataclass(slots=True)
class QueuedMessage:
    """A row of a queue; the fields are named after its columns."""

    database: str
    queue: str
    priority: int
    conversation_group_id: str
    conversation_handle: str
    message_sequence_number: int
    service_name: str
    service_contract_name: str
    message_type_name: str
    validation: str
    message_body: bytes | None
    message_enqueue_time: int
    status: int = READY
    queuing_order: int = 0
    """Assigned by the store at commit, ascending in each queue."""

    def retained(self) -> QueuedMessage:
        """Return this message as it stays in its queue once it was received."""
        return replace(self, status=RETAINED_RECEIVED)

    @property
    def queue_key(self) -> QueueKey:
        return self.database, self.queue

    @property
    def rank(self) -> int:
        """Order within a conversation: timers first, then errors, then messages."""
        return _RANKS.get(self.message_type_name, RANK_SEQUENCED)


RANK_SEQUENCED = 2
"""`rank` of messages with sequence numbers."""
_RANKS = {TIMER_TYPE: 0, ERROR_TYPE: 1}


class OutboundMessage(NamedTuple):
    """A row of sys.transmission_queue, without the columns that the endpoint holds."""

    conversation_handle: str
    message_sequence_number: int
    message_type_name: str
    message_body: bytes | None
    enqueue_time: int
    is_end_of_dialog: bool = False
    is_conversation_error: bool = False


class BufferedFragment(NamedTuple):
    """A fragment received over the network whose message cannot be enqueued yet (FRAG-3).

    Counted in the target queue with status `DISABLED`, or in the transmission queue while the target queue is off
    (NET-2). RECEIVE never returns it.
    """

    conversation_handle: str
    message_sequence_number: int
    fragment: int
    fragments: int
    """Number of fragments of the message."""
    message_type_name: str
    body: bytes
    enqueue_time: int
    is_end_of_dialog: bool = False
    is_conversation_error: bool = False

    @property
    def key(self) -> tuple[str, int]:
        """Handle and sequence number of its message."""
        return self.conversation_handle, self.message_sequence_number


class FragmentNumber(NamedTuple):
    """A buffered fragment without its body."""

    message_sequence_number: int
    fragment: int
    fragments: int


class InboundMessage(NamedTuple):
    """A complete sequenced message addressed to an endpoint, which need not exist yet."""

    conversation_id: str
    from_initiator: bool
    from_service: str
    from_broker_instance: str | None
    to_service: str
    to_broker_instance: str | None
    service_contract_name: str
    lifetime: int
    """Time at which the conversation expires, by the receiver's clock."""
    encryption: bool
    message_sequence_number: int
    message_type_name: str
    message_body: bytes | None
    is_end_of_dialog: bool
    is_conversation_error: bool

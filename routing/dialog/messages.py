"""Messages where they stand: in a queue, in the transmission queue, or before the endpoint they are meant for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from routing.dialog.endpoint import QueueKey
from routing.dialog.system_names import ERROR_TYPE, TIMER_TYPE

READY = 1
"""`status` of a message that can be received."""
DISABLED = 2
"""`status` of one that cannot: it is not whole, or others come before it (FRAG-3)."""


@dataclass(slots=True)
class QueuedMessage:
    """A row of a queue, with the names of its columns."""

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
    """Given by the store when it commits, one after the other in each queue."""

    @property
    def queue_key(self) -> QueueKey:
        return self.database, self.queue

    @property
    def rank(self) -> int:
        """Within a conversation a timer comes before everything, an error before the messages."""
        return _RANKS.get(self.message_type_name, RANK_SEQUENCED)


RANK_SEQUENCED = 2
"""`rank` of messages that have numbers."""
_RANKS = {TIMER_TYPE: 0, ERROR_TYPE: 1}


class OutboundMessage(NamedTuple):
    """A row of sys.transmission_queue; what the view says of the conversation stands in the endpoint."""

    conversation_handle: str
    message_sequence_number: int
    message_type_name: str
    message_body: bytes | None
    enqueue_time: int
    is_end_of_dialog: bool = False
    is_conversation_error: bool = False


class BufferedFragment(NamedTuple):
    """A fragment that came over the network and is not in the queue yet (FRAG-3).

    It stands in the target queue with status `DISABLED`, while that queue is off in the transmission queue of its
    database (NET-2); `RECEIVE` never sees it.
    """

    conversation_handle: str
    message_sequence_number: int
    fragment: int
    fragments: int
    """Of the whole message."""
    message_type_name: str
    body: bytes
    enqueue_time: int
    is_end_of_dialog: bool = False
    is_conversation_error: bool = False

    @property
    def key(self) -> tuple[str, int]:
        """Handle and number: of which message it is."""
        return self.conversation_handle, self.message_sequence_number


class FragmentNumber(NamedTuple):
    """What the engine has to know of a held fragment as long as it does not need its body."""

    message_sequence_number: int
    fragment: int
    fragments: int


class InboundMessage(NamedTuple):
    """A whole sequenced message before the endpoint that it is meant for, which need not exist."""

    conversation_id: str
    from_initiator: bool
    from_service: str
    from_broker_instance: str | None
    to_service: str
    to_broker_instance: str | None
    service_contract_name: str
    lifetime: int
    """The moment at which the conversation's is over, by the clock of the receiver."""
    encryption: bool
    message_sequence_number: int
    message_type_name: str
    message_body: bytes | None
    is_end_of_dialog: bool
    is_conversation_error: bool

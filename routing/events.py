"""Broker events, with the product's numbers and names: what happened, as values.

The engine gives them out with the changes they belong to; they count once these are committed. The moment is that of
the changes.
"""

from __future__ import annotations

from enum import IntEnum
from typing import NamedTuple


class OfConversation(IntEnum):
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


class OfGroup(IntEnum):
    """Subclasses of Broker:Conversation Group."""

    CREATE = 1
    DROP = 2


class OfClassify(IntEnum):
    """Subclasses of Broker:Message Classify."""

    LOCAL = 1
    REMOTE = 2
    DELAYED = 3


class OfUndeliverable(IntEnum):
    """Subclasses of Broker:Message Undeliverable."""

    SEQUENCED_MESSAGE = 1
    UNSEQUENCED_MESSAGE = 2


class Conversation(NamedTuple):
    """Something changed an endpoint, or passed through it."""

    subclass: OfConversation
    database: str
    state: str
    """TextData: the state afterwards; empty when the endpoint is gone."""
    conversation_id: str
    conversation_handle: str
    conversation_group_id: str
    is_initiator: bool

    @property
    def number(self) -> int:
        return 124


class ConversationGroup(NamedTuple):
    """A group came into being, or its last conversation left it."""

    subclass: OfGroup
    database: str
    conversation_group_id: str

    @property
    def number(self) -> int:
        return 136


class MessageClassify(NamedTuple):
    """Where routing sends a message that stands here."""

    subclass: OfClassify
    database: str
    conversation_id: str
    to_service: str
    to_broker_instance: str | None
    next_hop: str
    """The network address; empty for local and delayed ones."""
    is_from_network: bool
    reason: int
    """Why it is delayed; 0: it is not."""

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


class MessageUndeliverable(NamedTuple):
    """A message was received and is not kept here. Its sender does not see this."""

    subclass: OfUndeliverable
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


Event = Conversation | ConversationGroup | MessageClassify | QueueDisabled | MessageUndeliverable

NAMES = {
    124: "Broker:Conversation",
    136: "Broker:Conversation Group",
    141: "Broker:Message Classify",
    143: "Broker:Queue Disabled",
    160: "Broker:Message Undeliverable",
}
"""The event classes of the product by number."""

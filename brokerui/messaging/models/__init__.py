"""The tables of the instances that this deployment runs, with the product's names where it has them.

They are written by `brokerui.messaging.store`, many rows a statement, and only by it. Rows of the hot ones have no
foreign keys: a check of each row that comes would cost as much as the row, and lock what all others need. A claim
takes their place: the transaction that writes has the conversation for itself.

Moments are integer milliseconds since 1970, UTC, as the engine has them: they are compared for every message.
"""

from brokerui.messaging.models.conversations import ConversationEndpoint, ConversationGroup
from brokerui.messaging.models.instances import HostedInstance, MirroredRoute, RouteRequest
from brokerui.messaging.models.queues import Queue, QueueCounter, QueueMessage, RetainedMessage
from brokerui.messaging.models.transmission import HeldFragment, OutgoingMessage, TransmissionObject

__all__ = [
    "ConversationEndpoint",
    "ConversationGroup",
    "HeldFragment",
    "HostedInstance",
    "MirroredRoute",
    "OutgoingMessage",
    "Queue",
    "QueueCounter",
    "QueueMessage",
    "RetainedMessage",
    "RouteRequest",
    "TransmissionObject",
]

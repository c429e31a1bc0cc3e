"""`brokerui.client` if only the client is installed. Python prefers the package `brokerui/client/` of the product."""

from _brokerui_client import (
    Batch,
    BrokerError,
    Client,
    ConversationError,
    Dialog,
    LeaseOver,
    Message,
    Received,
    Refused,
    Unreachable,
)

__all__ = [
    "Batch",
    "BrokerError",
    "Client",
    "ConversationError",
    "Dialog",
    "LeaseOver",
    "Message",
    "Received",
    "Refused",
    "Unreachable",
]

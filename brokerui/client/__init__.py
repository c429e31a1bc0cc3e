"""A client of the messaging verbs, for programs beside BrokerUI: the standard library is all that it needs.

    from brokerui.client import Client

    with Client("http://127.0.0.1:8000", token=token) as client:
        dialog = client.begin(instance="A", database="Orders", from_service="Order", to_service="Part")
        dialog.send(b"hello")
        with client.receive(instance="A", database="Orders", queue="dbo.OrderQueue", wait_s=5) as batch:
            for message in batch:
                print(message.body)

A request that was not answered is sent again, and done once all the same. What a `with` block received is committed at
its end, and rolled back where it raises.
"""

from .batch import Batch
from .client import Client
from .dialog import Dialog
from .errors import BrokerError, LeaseOver, Refused, Unreachable
from .message import ConversationError, Message, Received

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

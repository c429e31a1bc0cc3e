"""Why a receipt is worth nothing."""

from __future__ import annotations

from brokerui.messaging.errors import MessagingError
from routing.common.sentence import say


class NoSuchReceiptError(MessagingError):
    """Nobody was given it, or another user was, or it is forgotten."""

    def __init__(self) -> None:
        super().__init__(say("There is no such receipt."))


class LeaseOverError(MessagingError):
    """The lease lapsed or was rolled back: other receivers get the messages."""

    def __init__(self) -> None:
        super().__init__(
            say(
                "The lease has expired. Nothing was done: the messages are back in the queue, or another "
                "program has received them."
            )
        )


class LeaseCommittedError(MessagingError):
    """A committed lease cannot be rolled back."""

    def __init__(self) -> None:
        super().__init__(say("The messages were received and committed already."))


class LeasedError(MessagingError):
    """A conversation stays in its group as long as messages of that are leased."""

    def __init__(self) -> None:
        super().__init__(say("Messages of the conversation group are leased. Commit or roll them back first."))

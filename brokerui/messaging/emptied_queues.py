"""Queues that this thread has just emptied: a WAITFOR that follows need not ask the database before it waits.

A sender or worker that adds a message notifies the queue after its commit. So a message that the receive has not seen
has a notification that nobody has taken, or whose reader is at it. A lost notification costs this thread a poll, as
it costs any other reader in WAITFOR (`exchange.queue_notify`).
"""

from __future__ import annotations

import threading
import time
from typing import Final

from brokerui.messaging.exchange.queue_notify import KEPT_MS
from brokerui.messaging.queue_address import QueueAddress

SECONDS: Final = KEPT_MS / 2000
"""How long a queue counts as emptied, in seconds: notifications that came meanwhile are still there."""


class _Emptied(threading.local):
    """The queues that one thread has emptied, with the moment in seconds of the monotonic clock."""

    def __init__(self) -> None:
        self.emptied: dict[QueueAddress, float] = {}


_ours = _Emptied()


def note(place: QueueAddress) -> None:
    """Note that a receive, which is committed by now, took the only messages of a queue."""
    _ours.emptied[place] = time.monotonic()


def taken(place: QueueAddress) -> bool:
    """Return whether this thread has emptied a queue just now, and forget it: the next call may find messages."""
    at = _ours.emptied.pop(place, None)
    return at is not None and time.monotonic() - at < SECONDS

"""Frames that leave once the transaction of their messages is committed.

If they are lost before, with the process or with Redis, a worker sends their messages again (ACK-3).
"""

from __future__ import annotations

from collections.abc import Container, Sequence

from django.db import connection, transaction

from brokerui.messaging.exchange.outbox import hand_over
from routing.common.broker_events import Event
from routing.dialog.broker_context import OutboundFrame


class LeavingFrames:
    """The frames of one SEND of the transaction that is open, and its events."""

    def __init__(
        self, instance: str, handle: str, frames: Sequence[OutboundFrame], events: Sequence[tuple[int, Event]]
    ) -> None:
        self.instance = instance
        self.handle = handle
        self.frames = frames
        self._events = events

    def __call__(self) -> None:
        """Hand them over: the transaction is committed."""
        hand_over(self.instance, self.frames, self._events)


def leave_after_commit(
    instance: str, handle: str, frames: Sequence[OutboundFrame], events: Sequence[tuple[int, Event]]
) -> None:
    """Hand frames and events over after the commit; at once where no transaction is open."""
    transaction.on_commit(LeavingFrames(instance, handle, frames, events))


def keep_frames_back(instance: str, handles: Container[str]) -> None:
    """Send no frames of conversations that this transaction has removed after a SEND: their peer is told nothing."""
    for entry in connection.run_on_commit:
        function = entry[1]
        if isinstance(function, LeavingFrames) and function.instance == instance and function.handle in handles:
            function.frames = ()

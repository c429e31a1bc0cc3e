"""Frames that leave once the transaction of their messages is committed.

If they are lost before, with the process or with Redis, a worker sends their messages again (ACK-3).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import Final

from django.db import connection
from django.db.backends.base.base import BaseDatabaseWrapper

from brokerui.messaging.exchange.outbox import hand_over
from routing.common.broker_events import Event
from routing.dialog.batch import MAX_OUTGOING_PER_CLAIM
from routing.dialog.broker_context import OutboundFrame

MOST: Final = MAX_OUTGOING_PER_CLAIM
"""Messages of one verb that leave with the commit of the caller's transaction, where their frames are in memory until
it ends; a worker sends more."""


class LeavingFrames:
    """The frames of one verb of the transaction that is open, and its events."""

    def __init__(
        self,
        instance: str,
        handles: Iterable[str],
        frames: Sequence[OutboundFrame],
        events: Sequence[tuple[int, Event]],
    ) -> None:
        self.instance = instance
        self.handles = frozenset(handles)
        """Of the endpoints that the verb has changed."""
        self.frames = frames
        self._events = events

    def keep_back(self, instance: str, handles: Collection[str]) -> None:
        """Send none of the frames if they are of one of these conversations."""
        if self.instance == instance and not self.handles.isdisjoint(handles):
            self.frames = ()

    def __call__(self) -> None:
        """Hand them over: the transaction is committed."""
        hand_over(self.instance, self.frames, self._events)


def leave_after_commit(
    database: BaseDatabaseWrapper,
    instance: str,
    handles: Iterable[str],
    frames: Sequence[OutboundFrame],
    events: Sequence[tuple[int, Event]],
) -> None:
    """Hand frames and events over after the commit; at once where no transaction of Django's is open: the store has
    committed its own."""
    if database.in_atomic_block:
        database.on_commit(LeavingFrames(instance, handles, frames, events))
    else:
        hand_over(instance, frames, events)


def keep_frames_back(instance: str, handles: Collection[str]) -> None:
    """Send no frames of conversations that this transaction has removed after a SEND: their peer is told nothing. The
    messages of other conversations in the same SEND are sent again later."""
    for entry in connection.run_on_commit:
        if isinstance(entry[1], LeavingFrames):
            entry[1].keep_back(instance, handles)

"""Acknowledgements are delayed for some milliseconds, so that those of several turns leave together, and one flush
makes their messages durable (ACK-5).

An endpoint's later acknowledgement takes the place of its earlier one: it says all that the earlier one does. Only a
sender whose window is full waits for one, so a large batch is acknowledged at once. An acknowledgement that is lost
with its worker costs a resend: the message comes again, and is acknowledged again (ACK-3, ACK-4).
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import suppress
from typing import Final

from brokerui.messaging.exchange.outbox import put
from routing.dialog.batch import MAX_OUTGOING_PER_CLAIM
from routing.dialog.broker_context import OutboundFrame
from routing.runtime.broker import Broker
from routing.runtime.store import Conflict

SECONDS: Final = 0.2
FEW: Final = 32
"""A turn that took more frames than this delays no acknowledgements."""
MOST: Final = MAX_OUTGOING_PER_CLAIM // 2
"""Frames that came, after which their acknowledgements leave: half of the window of a sender."""


class DelayedAcks:
    """The acknowledgements that one worker delays, of all instances."""

    def __init__(self) -> None:
        self._kept: dict[Broker, dict[tuple[str, int | None], OutboundFrame]] = {}
        """The latest one of each endpoint, by the address of the next hop and the endpoint."""
        self._brokers: set[Broker] = set()
        """Instances whose last commit may not be on the disk yet."""
        self._came = 0
        """Frames that came since acknowledgements left last."""
        self._until = 0.0

    def keep(self, broker: Broker, frames: Sequence[OutboundFrame], came: int) -> Sequence[OutboundFrame]:
        """Split the frames of a turn that took `came` frames: returns those to send at once."""
        self._brokers.add(broker)
        kept = [frame for frame in frames if frame.receiver is not None] if came <= FEW else []
        if not kept:
            return frames
        if not self._kept:
            self._until = time.monotonic() + SECONDS
        self._kept.setdefault(broker, {}).update({(frame.address, frame.receiver): frame for frame in kept})
        self._came += came
        self.look()
        return [frame for frame in frames if frame.receiver is None]

    def look(self) -> float:
        """Send acknowledgements that are due or exceed the limit; returns the seconds until the next call is useful."""
        if not self._kept:
            return SECONDS
        left = self._until - time.monotonic()
        if left > 0 and self._came < MOST:
            return left
        self.give_out()
        return SECONDS

    def end(self) -> None:
        """Send all acknowledgements and flush every instance to the disk."""
        self.give_out()
        for broker in self._brokers:
            with suppress(Conflict):  # it is as if it had not come
                broker.store.flush()

    def give_out(self) -> None:
        """Send all delayed acknowledgements, after a flush of their instance."""
        kept, self._kept, self._came = self._kept, {}, 0
        for broker, latest in kept.items():
            try:
                broker.store.flush()
            except Conflict:
                continue  # what they acknowledge may be lost
            put(broker.instance, list(latest.values()))

"""What a sender still has to send: its messages without what was acknowledged."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from routing.dialog.fragments import in_turns, place, position
from routing.dialog.ranges import Ranges
from routing.dialog.receipts import WireRange


class Sendable(NamedTuple):
    """A message in the transmission queue."""

    sequence: int
    fragments: int

    @property
    def span(self) -> tuple[int, int]:
        """The positions that it really has."""
        return position(self.sequence, 0), position(self.sequence, self.fragments - 1)


class NotSent(Exception):
    """An acknowledgement of what was not sent (28010): it is not of this conversation, or its sender is broken."""


def acknowledge(acknowledged: Ranges, ranges: Iterable[WireRange], transmitted: int) -> Ranges:
    """The account with an acknowledgement. `transmitted` is the first message of which nothing has left.

    An acknowledgement that comes late or twice changes nothing. Raises `NotSent`, and then nothing was taken of it.
    """
    for first_sequence, first_fragment, last_sequence, last_fragment in ranges:
        if last_sequence >= transmitted:
            raise NotSent
        first, last = position(first_sequence, first_fragment), position(last_sequence, last_fragment)
        acknowledged = acknowledged.with_range(first, last)
    return acknowledged


def is_delivered(acknowledged: Ranges, message: Sendable) -> bool:
    """Whether it can leave the transmission queue: every fragment was acknowledged."""
    return acknowledged.covers(*message.span)


def to_send(messages: Iterable[Sendable], acknowledged: Ranges, since: int = 0) -> Iterator[tuple[Sendable, int]]:
    """The fragments that are not acknowledged, in the order of sending; from a position on: those never sent yet.

    Only what is lost is sent again (FRAG-1), and no small message waits for a large one (FRAG-2).
    """
    return in_turns((message, _missing(message, acknowledged, since)) for message in messages)


def _missing(message: Sendable, acknowledged: Ranges, since: int) -> Iterator[int]:
    first, last = message.span
    for low, high in acknowledged.gaps(max(first, since), last):
        for at in range(low, high + 1):
            yield place(at)[1]

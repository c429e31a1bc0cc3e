"""The fragment positions that a receiver has received of a conversation, and their acknowledgement.

A fragment is recorded, and then acknowledged, only if it is stored durably (ACK-5). The sender resends all others
(ACK-3). Positions are defined in `fragmentation`.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum
from itertools import groupby
from typing import Final

from routing.dialog.fragmentation import FRAGMENT_BITS, message_span, position, split_position
from routing.dialog.messages import FragmentNumber
from routing.dialog.ranges import EMPTY_RANGES, RangeSet

MAX_MESSAGES_AHEAD: Final = 1_000
"""Maximum distance in messages, from the first one not enqueued, of a message that is buffered. A sender with a
smaller window never reaches it."""
MAX_RECEIVED_RANGES: Final = 256
"""Maximum ranges recorded for a conversation: limits the memory a peer can use by omitting every second fragment. Four
times what one acknowledgement holds."""
MAX_ACK_RANGES: Final = 64
"""Maximum ranges in an acknowledgement, given by the wire format."""

AckSpan = tuple[int, int, int, int]
"""First sequence and fragment, last sequence and fragment, both inclusive."""


class FragmentOutcome(Enum):
    """The receiver's action on a fragment."""

    DUPLICATE = "acknowledged again, and not kept"
    """ACK-4."""
    REFUSED = "not kept, not acknowledged: too far ahead, or too scattered"
    PART = "kept: its message is not whole yet"
    HELD = "kept: its message is whole, and others come before it"
    READY = "its message is whole, and its turn has come"


def next_sequence(received: RangeSet) -> int:
    """Return the number of the next expected message: all before it are complete."""
    if not received or received.pairs[0][0]:
        return 0
    return received.pairs[0][1] + 1 >> FRAGMENT_BITS


def from_store(delivered: int, held: Iterable[FragmentNumber]) -> RangeSet:
    """Build the received positions: all messages numbered below `delivered`, plus the buffered fragments in order."""
    received = RangeSet(((0, position(delivered, 0) - 1),)) if delivered else EMPTY_RANGES
    for sequence, parts in groupby(held, key=lambda part: part.message_sequence_number):
        count = 0
        for part in parts:
            at = position(sequence, part.fragment)
            received = received.with_range(at, at)
            count += 1
        if count == part.fragments:
            received = received.with_range(*message_span(sequence))
    return received


def record_fragment(
    received: RangeSet, sequence: int, fragment: int, fragments: int, delivered: int = 0
) -> tuple[FragmentOutcome, RangeSet]:
    """Return the outcome for one fragment and the received positions with it.

    `delivered`: messages numbered below are enqueued. While the queue is off, complete messages stay buffered and
    `MAX_MESSAGES_AHEAD` counts from here.
    """
    at = position(sequence, fragment)
    if at in received:
        return FragmentOutcome.DUPLICATE, received
    turn = next_sequence(received)
    if sequence >= delivered + MAX_MESSAGES_AHEAD:
        return FragmentOutcome.REFUSED, received
    now_ms = received.with_range(at, at)
    is_whole = now_ms.covers(position(sequence, 0), position(sequence, fragments - 1))
    if is_whole:
        now_ms = now_ms.with_range(*message_span(sequence))
    # A fragment at the first gap reduces the number of ranges later, so it is always kept.
    if len(now_ms.pairs) > max(MAX_RECEIVED_RANGES, len(received.pairs)) and at:
        return FragmentOutcome.REFUSED, received
    if not is_whole:
        return FragmentOutcome.PART, now_ms
    return (FragmentOutcome.READY if sequence == turn else FragmentOutcome.HELD), now_ms


def has_whole(received: RangeSet, sequence: int) -> bool:
    """Return True if the message is complete."""
    return received.covers(*message_span(sequence))


def ack_ranges(received: RangeSet) -> tuple[AckSpan, ...]:
    """Return the lowest `MAX_ACK_RANGES` received ranges for an acknowledgement: they open the sender's window."""
    return tuple((*split_position(first), *split_position(last)) for first, last in received.pairs[:MAX_ACK_RANGES])

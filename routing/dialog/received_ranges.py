"""What a receiver has got of a conversation, and what it says of that to the sender.

All of it is one set of positions (`fragments`). A fragment is noted, and then acknowledged, only when it is kept
durably (ACK-5); what is not noted was never here, and its sender sends it again (ACK-3).
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
"""Messages, from the first that is not in the queue on, that may be held. A sender with a smaller window never meets
it."""
MAX_RECEIVED_RANGES: Final = 256
"""Ranges that the account of a conversation may fall into, so that nobody can make it large by leaving every second
fragment out. Four times what one acknowledgement can say."""
MAX_ACK_RANGES: Final = 64
"""Ranges in an acknowledgement; as the wire format has it."""

AckSpan = tuple[int, int, int, int]
"""First sequence and fragment, last sequence and fragment, both in it."""


class FragmentOutcome(Enum):
    """What becomes of a fragment."""

    DUPLICATE = "acknowledged again, and not kept"
    """ACK-4."""
    REFUSED = "not kept, not acknowledged: too far ahead, or too scattered"
    PART = "kept: its message is not whole yet"
    HELD = "kept: its message is whole, and others come before it"
    READY = "its message is whole, and its turn has come"


def next_sequence(received: RangeSet) -> int:
    """The message whose turn it is: all before it are whole."""
    if not received or received.pairs[0][0]:
        return 0
    return received.pairs[0][1] + 1 >> FRAGMENT_BITS


def from_store(delivered: int, held: Iterable[FragmentNumber]) -> RangeSet:
    """What was received: all messages below a number, and the fragments that are held, in order."""
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
    """The fate of a fragment of a message of so many, and the account with it.

    `delivered`: messages below it are in the queue. While that is off, whole ones are held too, and `AHEAD` counts from
    here.
    """
    at = position(sequence, fragment)
    if at in received:
        return FragmentOutcome.DUPLICATE, received
    turn = next_sequence(received)
    if sequence >= delivered + MAX_MESSAGES_AHEAD:
        return FragmentOutcome.REFUSED, received
    now = received.with_range(at, at)
    is_whole = now.covers(position(sequence, 0), position(sequence, fragments - 1))
    if is_whole:
        now = now.with_range(*message_span(sequence))
    # What begins or goes on where the first gap is makes it less scattered, and is kept always.
    if len(now.pairs) > max(MAX_RECEIVED_RANGES, len(received.pairs)) and at:
        return FragmentOutcome.REFUSED, received
    if not is_whole:
        return FragmentOutcome.PART, now
    return (FragmentOutcome.READY if sequence == turn else FragmentOutcome.HELD), now


def has_whole(received: RangeSet, sequence: int) -> bool:
    """Whether a message is here to its last fragment."""
    return received.covers(*message_span(sequence))


def ack_ranges(received: RangeSet) -> tuple[AckSpan, ...]:
    """The account as an acknowledgement; of more ranges than one can say, the lowest: they let the sender go on."""
    return tuple((*split_position(first), *split_position(last)) for first, last in received.pairs[:MAX_ACK_RANGES])

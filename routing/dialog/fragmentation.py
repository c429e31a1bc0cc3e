"""Split messages into fragments, number them, and interleave them so that small messages do not wait for large ones.

The *position* of a fragment orders all fragments of a sender in a conversation: message by message, fragment by
fragment. Received fragments are a `RangeSet` of positions. A complete message covers all positions that a message can
have, so that consecutive complete messages form one range.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Hashable, Iterable, Iterator
from typing import Final, TypeVar

FRAGMENT_BITS: Final = 20
MAX_FRAGMENTS_PER_MESSAGE: Final = 1 << FRAGMENT_BITS
"""Maximum fragments of a message, given by the wire format."""
DEFAULT_FRAGMENT_BYTES: Final = 32 << 10
"""Default body bytes per fragment: a message of a few kilobytes is one fragment, and a lost fragment costs at most
this."""

M = TypeVar("M", bound=Hashable)


def position(sequence: int, fragment: int) -> int:
    """Return the position of a fragment among all fragments of its sender in the conversation."""
    return sequence << FRAGMENT_BITS | fragment


def message_span(sequence: int) -> tuple[int, int]:
    """Return the first and last position of a message."""
    return sequence << FRAGMENT_BITS, (sequence + 1 << FRAGMENT_BITS) - 1


def split_position(at: int) -> tuple[int, int]:
    """Return sequence and fragment number of a position."""
    return at >> FRAGMENT_BITS, at & MAX_FRAGMENTS_PER_MESSAGE - 1


def fragment_count(size: int, limit: int = DEFAULT_FRAGMENT_BYTES) -> int:
    """Return the number of fragments of a body of `size` bytes; at least 1."""
    return max(1, -(-size // limit))


def fragment_body(body: bytes, fragment: int, limit: int = DEFAULT_FRAGMENT_BYTES) -> memoryview:
    """Return the bytes of one fragment, without copying."""
    return memoryview(body)[fragment * limit : (fragment + 1) * limit]


def round_robin(messages: Iterable[tuple[M, Iterable[int]]]) -> Iterator[tuple[M, int]]:
    """Yield one fragment of each message in turn, until all are sent.

    A small message waits for at most one fragment of each large one (FRAG-2).
    """
    turns = deque((message, iter(fragments)) for message, fragments in messages)
    while turns:
        message, fragments = turns.popleft()
        for fragment in fragments:
            yield message, fragment
            turns.append((message, fragments))
            break

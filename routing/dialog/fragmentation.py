"""Fragments of messages: cut, named by one number each, and sent so that nobody waits for a large message.

A fragment's *position* orders all fragments of a sender in a conversation: message by message, fragment by fragment.
With positions, what was received is one set of numbers (`Ranges`), and a whole message is a range like any other:
whoever has it has all the positions that a message may use, so that the ranges of messages in order become one.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Hashable, Iterable, Iterator
from typing import Final, TypeVar

FRAGMENT_BITS: Final = 20
MAX_FRAGMENTS_PER_MESSAGE: Final = 1 << FRAGMENT_BITS
"""Of a message; as the wire format has it."""
DEFAULT_FRAGMENT_BYTES: Final = 32 << 10
"""Of a body, unless a setting says otherwise: a message of a few kilobytes stays whole, and a lost fragment costs no
more than this."""

M = TypeVar("M", bound=Hashable)


def position(sequence: int, fragment: int) -> int:
    """The place of a fragment among all of its sender's in the conversation."""
    return sequence << FRAGMENT_BITS | fragment


def message_span(sequence: int) -> tuple[int, int]:
    """The first and last position of a message."""
    return sequence << FRAGMENT_BITS, (sequence + 1 << FRAGMENT_BITS) - 1


def split_position(at: int) -> tuple[int, int]:
    """Sequence and fragment of a position."""
    return at >> FRAGMENT_BITS, at & MAX_FRAGMENTS_PER_MESSAGE - 1


def fragment_count(size: int, limit: int = DEFAULT_FRAGMENT_BYTES) -> int:
    """Fragments of a body of so many bytes; an empty one is a fragment too."""
    return max(1, -(-size // limit))


def fragment_body(body: bytes, fragment: int, limit: int = DEFAULT_FRAGMENT_BYTES) -> memoryview:
    """A fragment of a body, not copied."""
    return memoryview(body)[fragment * limit : (fragment + 1) * limit]


def round_robin(messages: Iterable[tuple[M, Iterable[int]]]) -> Iterator[tuple[M, int]]:
    """The order in which fragments of several messages are sent: a fragment of each message, then the next of each.

    FRAG-2: a small message goes between the fragments of large ones, and waits for one of each at most.
    """
    turns = deque((message, iter(fragments)) for message, fragments in messages)
    while turns:
        message, fragments = turns.popleft()
        for fragment in fragments:
            yield message, fragment
            turns.append((message, fragments))
            break

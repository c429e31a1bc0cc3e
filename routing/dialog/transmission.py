"""Transmission objects: in-memory transmission state of an endpoint (TOB-1 to TOB-3).

Created when an endpoint first sends through the transmission queue or is acknowledged. The endpoint holds the durable
state; this state only saves work: without it, fragments that have arrived are resent and acknowledged again. It may
therefore be flushed rarely and lost between two flushes.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final

from routing.dialog.fragmentation import position
from routing.dialog.ranges import EMPTY_RANGES, RangeSet

OBJECT_BYTES: Final = 600
RANGE_BYTES: Final = 160
"""Estimated bytes in CPython of an object, and of each range or large message in it."""


@dataclass(slots=True)
class LargeMessage:
    """A message of several fragments that is in flight."""

    sent: int
    """Fragments numbered below this were sent."""
    fragments: int


@dataclass(slots=True)
class Transmission:
    """Transmission state of one endpoint."""

    conversation_handle: str
    acknowledged: RangeSet = EMPTY_RANGES
    """Positions of acknowledged fragments (see `fragmentation`)."""
    sent: RangeSet = EMPTY_RANGES
    """Numbers, from the endpoint's `sending_sequence` on, of messages sent completely."""
    large: dict[int, LargeMessage] = field(default_factory=dict)
    """By number: large messages sent at least in part."""

    def copied(self, acknowledged_sequence: int = 0) -> Transmission:
        """Return a writable copy that knows what its endpoint knows: messages numbered below `acknowledged_sequence`
        were acknowledged.

        A stored object can be older than its endpoint: after a crash the last flushed state is read, and changes since
        then are lost (TOB-2). The endpoint is durable, so its acknowledgements are right (ACK-3).
        """
        large = {
            number: LargeMessage(one.sent, one.fragments)
            for number, one in self.large.items()
            if number >= acknowledged_sequence
        }
        below = position(acknowledged_sequence, 0)
        acknowledged = self.acknowledged.with_range(0, below - 1) if below else self.acknowledged
        return Transmission(self.conversation_handle, acknowledged, self.sent, large)

    @property
    def size(self) -> int:
        """Estimated bytes of memory."""
        return OBJECT_BYTES + RANGE_BYTES * (len(self.acknowledged.pairs) + len(self.sent.pairs) + len(self.large))


def new_transmission(handle: str, acknowledged_sequence: int) -> Transmission:
    """Create the object for an endpoint that has none, or whose object was lost."""
    below = position(acknowledged_sequence, 0)
    return Transmission(handle, RangeSet(((0, below - 1),)) if below else EMPTY_RANGES)


class TransmissionCache:
    """Transmission objects in memory, least recently changed first."""

    def __init__(self, most_bytes: int) -> None:
        self._most = most_bytes
        self._objects: OrderedDict[str, Transmission] = OrderedDict()
        self._modified: dict[str, None] = {}
        self.bytes = 0

    def __len__(self) -> int:
        return len(self._objects)

    def get(self, handle: str) -> Transmission | None:
        return self._objects.get(handle)

    def put(self, changed: Iterable[Transmission]) -> None:
        """Store the objects changed by a commit; they are dirty until flushed (TOB-2)."""
        for one in changed:
            handle = one.conversation_handle
            self._drop(handle)
            self._objects[handle] = one
            self._modified[handle] = None
            self.bytes += one.size

    def forget(self, handles: Iterable[str]) -> None:
        """Drop the objects of removed endpoints."""
        for handle in handles:
            self._drop(handle)

    def to_flush(self) -> list[Transmission]:
        """Return dirty objects to write so that memory fits its limit, plus the same amount again as reserve."""
        return [
            self._objects[handle] for handle in self._idle(2 * (self.bytes - self._most)) if handle in self._modified
        ]

    def flushed(self, written: Iterable[Transmission]) -> None:
        """Mark the written objects clean and free memory down to the limit."""
        for one in written:
            if self._objects.get(one.conversation_handle) is one:
                self._modified.pop(one.conversation_handle, None)
        for handle in self._idle(self.bytes - self._most):
            if handle in self._modified:
                break
            self._drop(handle)

    def _idle(self, size: int) -> list[str]:
        """Return the least recently changed handles that together free `size` bytes."""
        found = []
        for handle, one in self._objects.items():
            if size <= 0:
                break
            found.append(handle)
            size -= one.size
        return found

    def _drop(self, handle: str) -> None:
        one = self._objects.pop(handle, None)
        if one is not None:
            self.bytes -= one.size
            self._modified.pop(handle, None)

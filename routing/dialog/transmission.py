"""Transmission objects: the state of an endpoint's transmissions, in memory (TOB-1 to TOB-3).

An endpoint gets one the first time that it sends through the transmission queue or is acknowledged. What is durable
stands in the endpoint. What stands here saves work and nothing else: without it, fragments that have arrived are sent
again, and acknowledged again. So it may be flushed now and then, and lost between two flushes.
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
"""Bytes of an object, and of each range or large message in it, in CPython."""


@dataclass(slots=True)
class LargeMessage:
    """A message of several fragments that is on its way."""

    sent: int
    """Its fragments below this one were sent."""
    fragments: int


@dataclass(slots=True)
class Transmission:
    """Of one endpoint."""

    conversation_handle: str
    acknowledged: RangeSet = EMPTY_RANGES
    """Positions of fragments (`fragments`) that the peer has."""
    sent: RangeSet = EMPTY_RANGES
    """Numbers of messages, not below the endpoint's `sending_sequence`, that were sent whole."""
    large: dict[int, LargeMessage] = field(default_factory=dict)
    """By number: those that were sent at least in part."""

    def copied(self) -> Transmission:
        """One to be changed."""
        large = {number: LargeMessage(one.sent, one.fragments) for number, one in self.large.items()}
        return Transmission(self.conversation_handle, self.acknowledged, self.sent, large)

    @property
    def size(self) -> int:
        """Bytes of memory, about."""
        return OBJECT_BYTES + RANGE_BYTES * (len(self.acknowledged.pairs) + len(self.sent.pairs) + len(self.large))


def new_transmission(handle: str, acknowledged_sequence: int) -> Transmission:
    """The object of an endpoint whose own was lost, or that never had one."""
    below = position(acknowledged_sequence, 0)
    return Transmission(handle, RangeSet(((0, below - 1),)) if below else EMPTY_RANGES)


class TransmissionCache:
    """Those in memory, the one that was changed longest ago first."""

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
        """What a commit has changed: modified, until it is flushed (TOB-2)."""
        for one in changed:
            handle = one.conversation_handle
            self._drop(handle)
            self._objects[handle] = one
            self._modified[handle] = None
            self.bytes += one.size

    def forget(self, handles: Iterable[str]) -> None:
        """Endpoints that have gone."""
        for handle in handles:
            self._drop(handle)

    def to_flush(self) -> list[Transmission]:
        """The modified ones among those that memory is too small for, with as many again, so that the next ones can go
        without a flush; empty while it is not."""
        return [
            self._objects[handle] for handle in self._idle(2 * (self.bytes - self._most)) if handle in self._modified
        ]

    def flushed(self, written: Iterable[Transmission]) -> None:
        """They stand in the work table; memory is freed as far as it is too small."""
        for one in written:
            if self._objects.get(one.conversation_handle) is one:
                self._modified.pop(one.conversation_handle, None)
        for handle in self._idle(self.bytes - self._most):
            if handle in self._modified:
                break
            self._drop(handle)

    def _idle(self, size: int) -> list[str]:
        """Those that were changed longest ago, as many as make up this size."""
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

"""Timers by key: a key has one due time or none."""

from __future__ import annotations

from collections.abc import Hashable
from heapq import heapify, heappop, heappush
from typing import Final, Generic, TypeVar

K = TypeVar("K", bound=Hashable)

STALE_ENTRIES: Final = 100
"""The heap is rebuilt when it holds this many entries more than twice the live ones."""


class Deadlines(Generic[K]):
    """A heap of due times. `set` costs O(log n). Of keys due at the same time, the one set first comes first."""

    __slots__ = ("_entries", "_heap", "_number")

    def __init__(self) -> None:
        self._entries: dict[K, tuple[int, int]] = {}
        """By key: its due time, and the number of the heap entry that holds it."""
        self._heap: list[tuple[int, int, K]] = []
        """An entry is live while `_entries` holds it for its key."""
        self._number = 0

    def __len__(self) -> int:
        return len(self._entries)

    def set(self, key: K, at: int | None) -> None:
        """Set the due time of a key; None removes it."""
        if at is None:
            self._entries.pop(key, None)
            return
        self._number += 1
        self._entries[key] = (at, self._number)
        heappush(self._heap, (at, self._number, key))
        if len(self._heap) > 2 * len(self._entries) + STALE_ENTRIES:
            self._heap = [(*entry, key) for key, entry in self._entries.items()]
            heapify(self._heap)

    def first(self) -> tuple[int, K] | None:
        """The earliest due time and its key; None: no timer is set."""
        while self._heap:
            at, number, key = self._heap[0]
            if self._entries.get(key) == (at, number):
                return at, key
            heappop(self._heap)
        return None

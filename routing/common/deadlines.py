"""What is due when: keys, each with one moment or none."""

from __future__ import annotations

from collections.abc import Hashable
from heapq import heapify, heappop, heappush
from typing import Final, Generic, TypeVar

K = TypeVar("K", bound=Hashable)

SLACK: Final = 100
"""Entries of the heap that may count no longer, besides as many as count, before it is made anew."""


class Deadlines(Generic[K]):
    """The first of many costs no more than the logarithm of how many there are. Of equal moments the one set first."""

    __slots__ = ("_entries", "_heap", "_number")

    def __init__(self) -> None:
        self._entries: dict[K, tuple[int, int]] = {}
        """By key: the moment, and a number."""
        self._heap: list[tuple[int, int, K]] = []
        """An entry counts while it is the one of its key."""
        self._number = 0

    def __len__(self) -> int:
        return len(self._entries)

    def set(self, key: K, at: int | None) -> None:
        """None: nothing is due."""
        if at is None:
            self._entries.pop(key, None)
            return
        self._number += 1
        self._entries[key] = (at, self._number)
        heappush(self._heap, (at, self._number, key))
        if len(self._heap) > 2 * len(self._entries) + SLACK:
            self._heap = [(*entry, key) for key, entry in self._entries.items()]
            heapify(self._heap)

    def first(self) -> tuple[int, K] | None:
        """The earliest moment, and its key."""
        while self._heap:
            at, number, key = self._heap[0]
            if self._entries.get(key) == (at, number):
                return at, key
            heappop(self._heap)
        return None

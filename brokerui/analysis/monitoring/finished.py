"""Figures of moments that are over: they do not change any more, so a process reads them once, however many look."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Final, Generic, TypeVar

from brokerui.core.cache import LruCache

T = TypeVar("T")
LATE_MS: Final = 3 * 60_000
"""A look that is longer ago says nothing of now; a sample that comes later than this is not waited for."""
MOST: Final = 64


class FinishedMoments(Generic[T]):
    """Keeps the figures of moments, under a key of the caller's; threads may share it."""

    def __init__(self, nothing: T) -> None:
        self._nothing = nothing
        """The figure of a moment at which nobody looked."""
        self._kept: LruCache[Mapping[int, T]] = LruCache(MOST)

    def read(
        self, key: Hashable, moments: Sequence[int], now: int, read: Callable[[Sequence[int]], Mapping[int, T]]
    ) -> dict[int, T]:
        """Return the figure of each moment, in their order; `read` gets those that are not known, or not over."""
        known = self._kept.get(key) or {}
        missing = [at for at in moments if at not in known]
        new = read(missing) if missing else {}
        found = {at: known[at] if at in known else new.get(at, self._nothing) for at in moments}
        self._kept.put(key, {at: figure for at, figure in found.items() if at < now - LATE_MS})
        return found

    def forget(self) -> None:
        """Forget all of them."""
        self._kept.clear()

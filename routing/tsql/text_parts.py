"""Parts of a script, by position."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable

Part = tuple[int, int]
"""Its beginning, and the position after its end."""


class TextParts:
    """Ordered, disjoint parts of one script."""

    def __init__(self, parts: Iterable[Part] = ()) -> None:
        self._parts = list(parts)
        self._starts = [start for start, _ in self._parts]

    def holding(self, position: int) -> Part | None:
        """The part that contains this position."""
        index = bisect_right(self._starts, position) - 1
        return self._parts[index] if index >= 0 and position < self._parts[index][1] else None

    def __bool__(self) -> bool:
        return bool(self._parts)

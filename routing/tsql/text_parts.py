"""Parts of a script, by their positions."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable

Part = tuple[int, int]
"""Where it begins, and where the first character after it stands."""


class TextParts:
    """Some parts of one script, in their order; none touches another."""

    def __init__(self, parts: Iterable[Part] = ()) -> None:
        self._parts = list(parts)
        self._starts = [start for start, _ in self._parts]

    def holding(self, position: int) -> Part | None:
        """The one in which this position lies."""
        index = bisect_right(self._starts, position) - 1
        return self._parts[index] if index >= 0 and position < self._parts[index][1] else None

    def __bool__(self) -> bool:
        return bool(self._parts)

"""Groups of names that begin alike."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from math import ceil


def name_groups(names: Sequence[str], most: int) -> list[Sequence[str]]:
    """Sorted names in at most `most` groups, each of consecutive names."""
    if not names:
        return []
    found = [names]
    while True:
        largest = max(range(len(found)), key=lambda index: len(found[index]))
        parts = _by_next_letter(found[largest])
        if len(parts) == 1 or len(found) - 1 + len(parts) > most:
            break
        found[largest : largest + 1] = parts
    return found if len(found) > 1 else _equal(names, most)


def _by_next_letter(names: Sequence[str]) -> list[Sequence[str]]:
    """Split the names by the first letter in which they differ."""
    first, last = names[0], names[-1]
    known = next((index for index, pair in enumerate(zip(first, last, strict=False)) if pair[0] != pair[1]), len(first))
    return [list(part) for _, part in groupby(names, key=lambda name: name[: known + 1])]


def _equal(names: Sequence[str], most: int) -> list[Sequence[str]]:
    size = ceil(len(names) / most)
    return [names[start : start + size] for start in range(0, len(names), size)]

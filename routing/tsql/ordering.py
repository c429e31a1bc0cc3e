"""Expresses the order of names in a document as few moves: each puts one name before another."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from itertools import pairwise

Moves = list[tuple[str, str | None]]
"""Pairs of a name and the name before which it is put; None: at the end."""


def moves(before: Sequence[str], after: Sequence[str]) -> Moves:
    """The moves that bring the names of `before` into the order of `after`, which has the same names."""
    if list(before) == list(after):
        return []
    positions = {name: index for index, name in enumerate(before)}
    staying = _longest_rising([positions[name] for name in after])
    kept = {before[position] for position in staying}
    following: str | None = None
    found: Moves = []
    for name in reversed(after):
        if name not in kept:
            found.append((name, following))
        following = name
    return found


def moved(names: Iterable[str], wanted: Moves) -> list[str]:
    """The names after the moves. Raises KeyError for an unknown name."""
    order: list[str | None] = [None, *names, None]
    after = dict(pairwise(order))
    before = {name: previous for previous, name in pairwise(order)}
    for name, following in wanted:
        if name == following:
            raise KeyError(name)
        left, right = before[name], after[name]
        after[left], before[right] = right, left
        left = before[following]
        after[left] = before[following] = name
        before[name], after[name] = left, following
    found, name_or_end = [], after[None]
    while name_or_end is not None:
        found.append(name_or_end)
        name_or_end = after[name_or_end]
    return found


def _longest_rising(numbers: Sequence[int]) -> list[int]:
    """A longest rising subsequence."""
    tails: list[int] = []
    previous: dict[int, int | None] = {}
    for number in numbers:
        length = bisect_left(tails, number)
        previous[number] = tails[length - 1] if length else None
        tails[length : length + 1] = [number]
    found: list[int] = []
    last = tails[-1] if tails else None
    while last is not None:
        found.append(last)
        last = previous[last]
    return found

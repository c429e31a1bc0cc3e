"""Immutable sets of integers stored as ranges: received and acknowledged positions.

With n ranges a lookup costs O(log n) and a change O(n); n is small, since everything received in order is one range.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator
from itertools import pairwise

NumberRange = tuple[int, int]
"""First and last number of a range, both inclusive."""


class RangeSet:
    """A set of integers: ascending ranges that neither overlap nor touch."""

    __slots__ = ("pairs",)

    def __init__(self, pairs: Iterable[NumberRange] = (), is_valid: bool = False) -> None:
        """`is_valid`: they come from a set and are not checked again."""
        self.pairs = tuple(pairs)
        if not is_valid:
            _check(self.pairs)

    def __contains__(self, number: int) -> bool:
        return self.covers(number, number)

    def covers(self, first: int, last: int) -> bool:
        """Return True if every number from `first` to `last` is in the set."""
        index = bisect_right(self.pairs, first, key=_first) - 1
        return index >= 0 and last <= self.pairs[index][1]

    def meets(self, first: int, last: int) -> bool:
        """Return True if any number from `first` to `last` is in the set."""
        index = bisect_left(self.pairs, first, key=_last)
        return index < len(self.pairs) and self.pairs[index][0] <= last

    def with_range(self, first: int, last: int) -> RangeSet:
        """Return the set with every number from `first` to `last` added."""
        pairs = self.pairs
        # Merge the ranges that overlap or touch the new one.
        begin = bisect_left(pairs, first - 1, key=_last)
        end = bisect_right(pairs, last + 1, key=_first)
        if begin == end:
            return RangeSet((*pairs[:begin], (first, last), *pairs[begin:]), True)
        low, high = pairs[begin][0], pairs[end - 1][1]
        if low <= first and last <= high and end - begin == 1:
            return self
        return RangeSet((*pairs[:begin], (min(low, first), max(high, last)), *pairs[end:]), True)

    def without_range(self, first: int, last: int) -> RangeSet:
        """Return the set with every number from `first` to `last` removed."""
        pairs = self.pairs
        begin = bisect_left(pairs, first, key=_last)
        end = bisect_right(pairs, last, key=_first)
        if begin == end:
            return self
        left, right = pairs[begin][0], pairs[end - 1][1]
        rest = [(left, first - 1)] if left < first else []
        rest += [(last + 1, right)] if last < right else []
        return RangeSet((*pairs[:begin], *rest, *pairs[end:]), True)

    def gaps(self, first: int, last: int) -> Iterator[NumberRange]:
        """Yield the ranges between `first` and `last` that are not in the set, ascending."""
        for low, high in self.pairs[bisect_left(self.pairs, first, key=_last) :]:
            if low > last:
                break
            if first < low:
                yield first, low - 1
            first = high + 1
        if first <= last:
            yield first, last

    def size(self) -> int:
        """Return how many numbers are in the set."""
        return sum(last - first + 1 for first, last in self.pairs)

    def __bool__(self) -> bool:
        return bool(self.pairs)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, RangeSet) and self.pairs == other.pairs

    def __hash__(self) -> int:
        return hash(self.pairs)

    def __repr__(self) -> str:
        return f"Ranges({list(self.pairs)})"


def _check(pairs: tuple[NumberRange, ...]) -> None:
    assert all(first <= last for first, last in pairs), "a range ends after its beginning"
    assert all(one[1] + 1 < next_[0] for one, next_ in pairwise(pairs)), "ranges ascend, apart from each other"


def _first(pair: NumberRange) -> int:
    return pair[0]


def _last(pair: NumberRange) -> int:
    return pair[1]


EMPTY_RANGES = RangeSet()

"""Sets of whole numbers that mostly lie together, as few ranges: what was received, what was acknowledged.

A value never changes; what adds to it gives another. With n ranges a look costs log n, a change n; n is small, since
what arrives in order is one range.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator
from itertools import pairwise

NumberRange = tuple[int, int]
"""First and last of a range, both in it."""


class RangeSet:
    """Ascending ranges that neither overlap nor touch."""

    __slots__ = ("pairs",)

    def __init__(self, pairs: Iterable[NumberRange] = ()) -> None:
        self.pairs = tuple(pairs)
        assert all(first <= last for first, last in self.pairs), "a range ends after its beginning"
        assert all(one[1] + 1 < next_[0] for one, next_ in pairwise(self.pairs)), "ranges ascend, apart from each other"

    @classmethod
    def _made(cls, pairs: tuple[NumberRange, ...]) -> RangeSet:
        """Without looking at what is known to be right."""
        made = object.__new__(cls)
        made.pairs = pairs
        return made

    def __contains__(self, number: int) -> bool:
        return self.covers(number, number)

    def covers(self, first: int, last: int) -> bool:
        """Whether every number from one to another is in the set."""
        index = bisect_right(self.pairs, first, key=_first) - 1
        return index >= 0 and last <= self.pairs[index][1]

    def meets(self, first: int, last: int) -> bool:
        """Whether any number from one to another is in the set."""
        index = bisect_left(self.pairs, first, key=_last)
        return index < len(self.pairs) and self.pairs[index][0] <= last

    def with_range(self, first: int, last: int) -> RangeSet:
        """With every number from one to another."""
        pairs = self.pairs
        # The ranges that overlap or touch the new one become one with it.
        begin = bisect_left(pairs, first - 1, key=_last)
        end = bisect_right(pairs, last + 1, key=_first)
        if begin == end:
            return RangeSet._made((*pairs[:begin], (first, last), *pairs[begin:]))
        low, high = pairs[begin][0], pairs[end - 1][1]
        if low <= first and last <= high and end - begin == 1:
            return self
        return RangeSet._made((*pairs[:begin], (min(low, first), max(high, last)), *pairs[end:]))

    def without_range(self, first: int, last: int) -> RangeSet:
        """Without any number from one to another."""
        pairs = self.pairs
        begin = bisect_left(pairs, first, key=_last)
        end = bisect_right(pairs, last, key=_first)
        if begin == end:
            return self
        left, right = pairs[begin][0], pairs[end - 1][1]
        rest = [(left, first - 1)] if left < first else []
        rest += [(last + 1, right)] if last < right else []
        return RangeSet._made((*pairs[:begin], *rest, *pairs[end:]))

    def gaps(self, first: int, last: int) -> Iterator[NumberRange]:
        """The ranges from one number to another that are not in the set, ascending."""
        for low, high in self.pairs[bisect_left(self.pairs, first, key=_last) :]:
            if low > last:
                break
            if first < low:
                yield first, low - 1
            first = high + 1
        if first <= last:
            yield first, last

    def size(self) -> int:
        """How many numbers are in it."""
        return sum(last - first + 1 for first, last in self.pairs)

    def __bool__(self) -> bool:
        return bool(self.pairs)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, RangeSet) and self.pairs == other.pairs

    def __hash__(self) -> int:
        return hash(self.pairs)

    def __repr__(self) -> str:
        return f"Ranges({list(self.pairs)})"


def _first(pair: NumberRange) -> int:
    return pair[0]


def _last(pair: NumberRange) -> int:
    return pair[1]


EMPTY_RANGES = RangeSet()

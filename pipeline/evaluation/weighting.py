"""Weigh each class and interval by its traffic: by daily sums, or by rows on a day on which the answer changes."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import pairwise

from pipeline.evaluation.answer_history import AnswerHistory
from pipeline.evaluation.class_sums import ClassSum, from_micros

ClassInterval = tuple[int, int]
"""A class number, and how many times its answer had changed before."""
MicrosRange = tuple[int, int]
"""Start (included) and end (excluded), in microseconds since 1970."""
MAX_RANGES = 32
"""The largest number of time ranges in one query for rows."""


@dataclass(slots=True)
class TrafficWeight:
    """An amount of traffic: questions (class and interval), rows, messages and bytes."""

    questions: int = 0
    rows: int = 0
    messages: int = 0
    bytes: int = 0

    def add(self, rows: int, messages: int, bytes_: int) -> None:
        self.rows += rows
        self.messages += messages
        self.bytes += bytes_


@dataclass(slots=True)
class SplitDay:
    """A class on a day during which its answer changes."""

    longest: MicrosRange
    """The longest range with one answer. Its traffic is that of the day less the rows in the other ranges."""
    passed: int
    """How many times the answer had changed before `longest`."""
    rest: TrafficWeight


class WeightAssignment:
    """Assigns sums of traffic to classes and intervals."""

    def __init__(self, histories: Mapping[int, AnswerHistory], length: int) -> None:
        self._histories = histories
        self._length = length
        self.weights: dict[ClassInterval, TrafficWeight] = defaultdict(lambda: TrafficWeight(questions=1))
        self.split_days: dict[date, dict[int, SplitDay]] = defaultdict(dict)

    def add_sums(self, sums: Iterable[ClassSum]) -> None:
        """Add sums of days, or of moments."""
        for number, begin, *weights in sums:
            moments = self._histories[number].change_moments
            passed = bisect_right(moments, begin)
            if passed < len(moments) and moments[passed] < begin + self._length:
                self._split_day(number, (begin, begin + self._length), passed).rest.add(*weights)
            else:
                self.weights[number, passed].add(*weights)

    def _split_day(self, number: int, day: MicrosRange, passed: int) -> SplitDay:
        found = self.split_days[from_micros(day[0]).date()]
        if number not in found:
            within = [moment for moment in self._histories[number].change_moments if day[0] < moment < day[1]]
            ranges = list(pairwise([day[0], *within, day[1]]))
            longest = max(range(len(ranges)), key=lambda one: ranges[one][1] - ranges[one][0])
            found[number] = SplitDay(ranges[longest], passed + longest, TrafficWeight())
        return found[number]

    def add_partial_sums(self, parts: Iterable[tuple[int, date, int, int, int, int]], moments: Sequence[int]) -> None:
        """Add what the rows of split days carried: class, day, number of moments before them, and weights.

        Parts of classes that are not split on their day are ignored.
        """
        for number, day, passed, *weights in parts:
            one = self.split_days[day].get(number)
            if one is None:
                continue
            own = bisect_right(self._histories[number].change_moments, moments[passed - 1]) if passed else 0
            if own != one.passed:
                self.weights[number, own].add(*weights)
                one.rest.add(*(-weight for weight in weights))

    def add_remainders(self) -> None:
        """Add the remainder of each split day, after `add_partial_sums`."""
        for classes in self.split_days.values():
            for number, one in classes.items():
                if one.rest.rows:
                    self.weights[number, one.passed].add(one.rest.rows, one.rest.messages, one.rest.bytes)

    def ranges(self) -> list[MicrosRange]:
        """Return at most `MAX_RANGES` sorted ranges that contain all rows to read, and few others."""
        found = [one for day in sorted(self.split_days) for one in self._around_longest(self.split_days[day].values())]
        gaps = sorted(range(1, len(found)), key=lambda one: found[one][0] - found[one - 1][1], reverse=True)
        cuts = sorted(one for one in gaps[: MAX_RANGES - 1] if found[one][0] > found[one - 1][1])
        return [(found[first][0], found[last - 1][1]) for first, last in pairwise([0, *cuts, len(found)])]

    def _around_longest(self, classes: Iterable[SplitDay]) -> list[MicrosRange]:
        """Return the parts of a day outside the longest range of each class."""
        longest = [one.longest for one in classes]
        begin = min(longest)[0] // self._length * self._length
        left, right = max(first for first, _ in longest), min(last for _, last in longest)
        around = [(begin, left), (right, begin + self._length)] if left < right else [(begin, begin + self._length)]
        return [(first, last) for first, last in around if first < last]

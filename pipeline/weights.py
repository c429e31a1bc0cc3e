"""What each question of a traffic carried: by the sums of days, and by rows where an answer changes within a day."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import pairwise

from pipeline.courses import Course
from pipeline.sums import Sum, from_micros

Question = tuple[int, int]
"""A class, and how many times its answer had changed."""
Stretch = tuple[int, int]
"""From a moment to before another one, in microseconds since 1970."""
MOST_STRETCHES = 32
"""Of time that rows are looked for in."""


@dataclass(slots=True)
class Weight:
    """How much traffic there is of something."""

    questions: int = 0
    rows: int = 0
    messages: int = 0
    bytes: int = 0

    def add(self, rows: int, messages: int, bytes_: int) -> None:
        self.rows += rows
        self.messages += messages
        self.bytes += bytes_


@dataclass(slots=True)
class Divided:
    """A class on a day in the middle of which its answer changes."""

    longest: Stretch
    """In which one answer holds. What it carried is what the rows of the others leave of the day."""
    passed: int
    """How many times the answer had changed by then."""
    rest: Weight


class Weighing:
    """Sums, put to the questions they belong to."""

    def __init__(self, courses: Mapping[int, Course], length: int) -> None:
        self._courses = courses
        self._length = length
        self.weights: dict[Question, Weight] = defaultdict(lambda: Weight(questions=1))
        self.divided: dict[date, dict[int, Divided]] = defaultdict(dict)

    def add_sums(self, sums: Iterable[Sum]) -> None:
        """Of stretches of time."""
        for number, begin, *weights in sums:
            marks = self._courses[number].marks
            passed = bisect_right(marks, begin)
            if passed < len(marks) and marks[passed] < begin + self._length:
                self._divide(number, (begin, begin + self._length), passed).rest.add(*weights)
            else:
                self.weights[number, passed].add(*weights)

    def _divide(self, number: int, day: Stretch, passed: int) -> Divided:
        found = self.divided[from_micros(day[0]).date()]
        if number not in found:
            within = [mark for mark in self._courses[number].marks if day[0] < mark < day[1]]
            stretches = list(pairwise([day[0], *within, day[1]]))
            longest = max(range(len(stretches)), key=lambda one: stretches[one][1] - stretches[one][0])
            found[number] = Divided(stretches[longest], passed + longest, Weight())
        return found[number]

    def add_parts(self, parts: Iterable[tuple[int, date, int, int, int, int]], moments: Sequence[int]) -> None:
        """Of the rows of divided days: class, day, how many of the moments had passed, and weights.

        There may be rows that nobody asked for; each that was asked for is there.
        """
        for number, day, passed, *weights in parts:
            one = self.divided[day].get(number)
            if one is None:
                continue
            own = bisect_right(self._courses[number].marks, moments[passed - 1]) if passed else 0
            if own != one.passed:
                self.weights[number, own].add(*weights)
                one.rest.add(*(-weight for weight in weights))

    def add_rests(self) -> None:
        """What is left of the divided days, once their rows were added."""
        for classes in self.divided.values():
            for number, one in classes.items():
                if one.rest.rows:
                    self.weights[number, one.passed].add(one.rest.rows, one.rest.messages, one.rest.bytes)

    def stretches(self) -> list[Stretch]:
        """In which the rows are that have to be looked at, in order, and few others."""
        found = [one for day in sorted(self.divided) for one in self._around_longest(self.divided[day].values())]
        gaps = sorted(range(1, len(found)), key=lambda one: found[one][0] - found[one - 1][1], reverse=True)
        cuts = sorted(one for one in gaps[: MOST_STRETCHES - 1] if found[one][0] > found[one - 1][1])
        return [(found[first][0], found[last - 1][1]) for first, last in pairwise([0, *cuts, len(found)])]

    def _around_longest(self, classes: Iterable[Divided]) -> list[Stretch]:
        """Of a day, what is not in the longest stretch of each class."""
        longest = [one.longest for one in classes]
        begin = min(longest)[0] // self._length * self._length
        left, right = max(first for first, _ in longest), min(last for _, last in longest)
        around = [(begin, left), (right, begin + self._length)] if left < right else [(begin, begin + self._length)]
        return [(first, last) for first, last in around if first < last]

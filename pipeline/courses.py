"""What becomes of each class in the course of time: its answers, and the moments at which they change."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from heapq import heapify, heappop, heappush

from pipeline.engine import Asker, Key, Outcomes
from pipeline.sums import Sums, from_micros, to_micros
from routing.common.gc_control import gc_paused

Sides = tuple[int | None, int | None]
"""The numbers of the sets of outcomes before and after; null where that estate does not know the entry point."""


@dataclass(slots=True)
class Course:
    """The answers of a class, one after the other."""

    answers: list[Sides] = field(default_factory=list)
    marks: list[int] = field(default_factory=list)
    """When each answer but the first begins to hold, in microseconds since 1970."""

    def add(self, moment: int, sides: Sides) -> None:
        """What was asked at a moment after all others."""
        if not self.answers:
            self.answers.append(sides)
        elif sides != self.answers[-1]:
            self.answers.append(sides)
            self.marks.append(moment)


class Asking:
    """Asks both sides about each class while there is traffic of it, no more often than an answer may change."""

    def __init__(self, before: Asker, after: Asker) -> None:
        self._before = before
        self._after = after
        self.sets: dict[Outcomes, int] = {}
        """Every set of outcomes that occurs, with its number."""

    def courses(self, keys: Mapping[int, Key], sums: Sums) -> dict[int, Course]:
        """Of each class that carried anything."""
        begins = sums.begins()
        found = {number: Course() for number in begins}
        # In the order of time, so that few estates are asked at a time.
        todo = [(moments[0], number) for number, moments in begins.items()]
        heapify(todo)
        with gc_paused():
            while todo:
                moment, number = heappop(todo)
                sides, until = self._ask(keys[number], moment)
                found[number].add(moment, sides)
                if (following := sums.next_begin(begins[number], until)) is not None:
                    heappush(todo, (following, number))
        return found

    def _ask(self, key: Key, micros: int) -> tuple[Sides, int]:
        """The answers, and until when they hold."""
        moment = from_micros(micros)
        before = self._before.answer(key, moment)
        after = before if self._after is self._before else self._after.answer(key, moment)
        until = to_micros(min(before.until, after.until))
        if before.outcomes is None and after.outcomes is None:
            return (None, None), until
        # An entry point that one side does not have ends nowhere there.
        return (self._number(before.outcomes or ()), self._number(after.outcomes or ())), until

    def _number(self, outcomes: Outcomes) -> int:
        return self.sets.setdefault(outcomes, len(self.sets))

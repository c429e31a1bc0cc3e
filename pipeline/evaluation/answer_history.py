"""The answers of each class over time, and the moments at which they change."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from heapq import heapify, heappop, heappush

from pipeline.evaluation.class_sums import ClassSums, from_micros, to_micros
from pipeline.evaluation.evaluator import ClassKey, Outcomes, TimelineEvaluator
from routing.common.gc_control import gc_paused

SetNumbers = tuple[int | None, int | None]
"""Numbers of the outcome sets under the baseline and the proposed estate; None if neither knows the entry point."""


@dataclass(slots=True)
class AnswerHistory:
    """The answers of a class in the order of time."""

    answers: list[SetNumbers] = field(default_factory=list)
    change_moments: list[int] = field(default_factory=list)
    """When each answer after the first begins to hold, in microseconds since 1970."""
    early: int = 0
    """How many answers, the first ones, are about moments before the first version of an estate."""

    def add(self, moment: int, sides: SetNumbers, *, is_early: bool = False) -> None:
        """Add the answer at a moment that is later than all moments before."""
        has_come_into_force = not is_early and self.early == len(self.answers)
        if self.answers and sides == self.answers[-1] and not has_come_into_force:
            return
        if self.answers:
            self.change_moments.append(moment)
        self.answers.append(sides)
        self.early += is_early


class HistoryBuilder:
    """Evaluates each class under both estates, once for each period in which its answer cannot change."""

    def __init__(self, before: TimelineEvaluator, after: TimelineEvaluator) -> None:
        self._before = before
        self._after = after
        self.outcome_sets: dict[Outcomes, int] = {}
        """The number of every outcome set that occurs."""

    def histories(self, keys: Mapping[int, ClassKey], sums: ClassSums) -> dict[int, AnswerHistory]:
        """Return the history of each class that has traffic."""
        begins = sums.begins()
        found = {number: AnswerHistory() for number in begins}
        # In the order of time, so that few versions of the estate are in memory at once.
        todo = [(moments[0], number) for number, moments in begins.items()]
        heapify(todo)
        with gc_paused():
            while todo:
                moment, number = heappop(todo)
                sides, until, is_early = self._ask(keys[number], moment)
                found[number].add(moment, sides, is_early=is_early)
                if (following := sums.next_begin(begins[number], until)) is not None:
                    heappush(todo, (following, number))
        return found

    def _ask(self, key: ClassKey, micros: int) -> tuple[SetNumbers, int, bool]:
        """Return the answers, until when both hold, and whether an estate has no version yet."""
        moment = from_micros(micros)
        before = self._before.answer(key, moment)
        after = before if self._after is self._before else self._after.answer(key, moment)
        until, is_early = to_micros(min(before.until, after.until)), before.is_early or after.is_early
        if before.outcomes is None and after.outcomes is None:
            return (None, None), until, is_early
        # An entry point that only one estate knows has no outcome under the other.
        return (self._number(before.outcomes or ()), self._number(after.outcomes or ())), until, is_early

    def _number(self, outcomes: Outcomes) -> int:
        return self.outcome_sets.setdefault(outcomes, len(self.outcome_sets))

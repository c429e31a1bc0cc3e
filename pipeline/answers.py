"""The answers to all questions of a traffic, each weighed by what it carried, as files that Spark joins to rows."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from functools import cache
from itertools import islice
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from pipeline.courses import Course, Sides
from pipeline.engine import Key, Outcomes
from pipeline.schemas import ANSWERS, SETS
from pipeline.sums import Sum, from_micros
from routing.comparison import kind_of_change, verdict_of_change
from routing.verdict import verdict

UNCHANGED = "unchanged"
Question = tuple[int, int]
"""A class, and how many times its answer had changed."""
_BATCH = 200_000
"""Answers that are written at a time."""


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
class Answered:
    """What the answering of all questions found."""

    unknown: Weight = field(default_factory=Weight)
    changes: dict[str, Weight] = field(default_factory=lambda: defaultdict(Weight))
    """By what becomes of a question; with one timeline all are unchanged."""


class Weighing:
    """Sums, put to the questions they belong to."""

    def __init__(self, courses: Mapping[int, Course], length: int) -> None:
        self._courses = courses
        self._length = length
        self.weights: dict[Question, Weight] = defaultdict(lambda: Weight(questions=1))
        self.divided: dict[date, set[int]] = defaultdict(set)
        """By day, the classes whose answer changes in the middle of it: only their rows can tell."""

    def add_sums(self, sums: Iterable[Sum]) -> None:
        """Of stretches of time."""
        for number, begin, *weights in sums:
            marks = self._courses[number].marks
            passed = bisect_right(marks, begin)
            if passed < len(marks) and marks[passed] < begin + self._length:
                self.divided[from_micros(begin).date()].add(number)
            else:
                self.weights[number, passed].add(*weights)

    def add_parts(self, parts: Iterable[tuple[int, ...]], moments: Sequence[int]) -> None:
        """Of the rows of divided days: class, how many of the moments had passed, and weights."""
        for number, passed, *weights in parts:
            own = bisect_right(self._courses[number].marks, moments[passed - 1]) if passed else 0
            self.weights[number, own].add(*weights)


class Answers:
    """Questions with their weights, and what answers them."""

    def __init__(self, keys: Mapping[int, Key], courses: Mapping[int, Course], sets: Mapping[Outcomes, int]) -> None:
        self._keys = keys
        self._courses = courses
        self._sets = list(sets)
        self._change = cache(self._changed)

    def write(self, weights: Mapping[Question, Weight], folder: Path) -> Answered:
        """A row for each question."""
        found = Answered()
        rows = self._rows(weights, found)
        folder.mkdir(parents=True)
        with pq.ParquetWriter(folder / "answers.parquet", ANSWERS) as writer:
            while some := list(islice(rows, _BATCH)):
                writer.write_table(pa.Table.from_arrays(_columns(some), schema=ANSWERS))
        return found

    def _rows(self, weights: Mapping[Question, Weight], found: Answered) -> Iterator[tuple[object, ...]]:
        for (number, passed), weight in weights.items():
            sides = self._courses[number].answers[passed]
            change = self._change(sides)
            total = found.changes[change[0]] if change[0] is not None else found.unknown
            total.questions += 1
            weighed = (weight.rows, weight.messages, weight.bytes)
            total.add(*weighed)
            yield (*self._keys[number], number, passed, *weighed, *sides, *change)

    def _changed(self, sides: Sides) -> tuple[str | None, str | None]:
        before, after = sides
        if before is None or after is None:
            return None, None
        if before == after:
            return UNCHANGED, UNCHANGED
        old, new = frozenset(self._sets[before]), frozenset(self._sets[after])
        return verdict_of_change(old, new), kind_of_change(old, new)


def write_sets(sets: Mapping[Outcomes, int], folder: Path) -> None:
    """What the numbers of the answers stand for."""
    folder.mkdir(parents=True)
    rows = [
        {"number": number, "outcomes": [one.as_json() for one in outcomes], "verdict": _verdict(outcomes)}
        for outcomes, number in sets.items()
    ]
    pq.write_table(pa.Table.from_pylist(rows, schema=SETS), folder / "sets.parquet")


def _verdict(outcomes: Outcomes) -> str | None:
    return verdict(outcomes) if outcomes else None


def _columns(rows: Iterable[tuple[object, ...]]) -> list[pa.Array]:
    return [pa.array(column, type=field.type) for column, field in zip(zip(*rows, strict=True), ANSWERS, strict=True)]

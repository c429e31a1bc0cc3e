"""The answers to all questions of a traffic, each weighed by what it carried, as files that Spark joins to rows."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from itertools import islice
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from pipeline.courses import Course, Sides
from pipeline.engine import Key, Outcomes
from pipeline.schemas import ANSWERS, SETS
from pipeline.weights import Question, Weight
from routing.diff.result import kind_of_change, verdict_of_change
from routing.rules.verdict import verdict

UNCHANGED = "unchanged"
_BATCH = 200_000
"""Answers that are written at a time."""


@dataclass(slots=True)
class Answered:
    """What the answering of all questions found."""

    unknown: Weight = field(default_factory=Weight)
    changes: dict[str, Weight] = field(default_factory=lambda: defaultdict(Weight))
    """By what becomes of a question; with one timeline all are unchanged."""


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

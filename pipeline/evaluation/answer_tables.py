"""Write the answers for all classes and intervals, with their weights, as files that Spark joins to rows."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from itertools import islice

import pyarrow as pa
import pyarrow.parquet as pq

from pipeline.evaluation.answer_history import AnswerHistory, SetNumbers
from pipeline.evaluation.evaluator import ClassKey, Outcomes
from pipeline.evaluation.weighting import ClassInterval, TrafficWeight
from pipeline.files.file_system import file_system
from pipeline.files.location import Location
from pipeline.files.parquet import write_table
from pipeline.schemas import ANSWERS, OUTCOME_SETS
from routing.diff.result import kind_of_change, verdict_of_change
from routing.rules.verdict import verdict

UNCHANGED = "unchanged"
_ROWS_PER_BATCH = 200_000
"""Rows of one Arrow table."""


@dataclass(slots=True)
class AnswerTotals:
    """Traffic by what becomes of it."""

    unknown: TrafficWeight = field(default_factory=TrafficWeight)
    changes: dict[str, TrafficWeight] = field(default_factory=lambda: defaultdict(TrafficWeight))
    """By verdict of the change; with one timeline all traffic is `unchanged`."""
    early: dict[str | None, TrafficWeight] = field(default_factory=lambda: defaultdict(TrafficWeight))
    """The part of it that is older than the first version of an estate, by verdict; None: of unknown entry points."""
    absent: TrafficWeight = field(default_factory=TrafficWeight)
    """Traffic of entry points that an estate of its time lacks, without the part that is older than the estate."""


class AnswerWriter:
    """Writes the answer of each class and interval, with its weight."""

    def __init__(
        self, keys: Mapping[int, ClassKey], histories: Mapping[int, AnswerHistory], sets: Mapping[Outcomes, int]
    ) -> None:
        self._keys = keys
        self._histories = histories
        self._outcome_sets = list(sets)
        self._nowhere = {None, sets.get(())}
        """Numbers of the answer to an entry point that an estate lacks."""
        self._change = cache(self._changed)

    def write(self, weights: Mapping[ClassInterval, TrafficWeight], folder: Location) -> AnswerTotals:
        """Write a row for each class and interval. Returns the totals."""
        found = AnswerTotals()
        rows = self._rows(weights, found)
        file = folder / "answers.parquet"
        with file_system(file).created(file) as stream, pq.ParquetWriter(stream, ANSWERS) as writer:
            while some := list(islice(rows, _ROWS_PER_BATCH)):
                writer.write_table(pa.Table.from_arrays(_columns(some), schema=ANSWERS))
        return found

    def _rows(
        self, weights: Mapping[ClassInterval, TrafficWeight], found: AnswerTotals
    ) -> Iterator[tuple[object, ...]]:
        for (number, passed), weight in weights.items():
            history = self._histories[number]
            sides = history.answers[passed]
            change = self._change(sides)
            weighed = (weight.rows, weight.messages, weight.bytes)
            totals = [found.changes[change[0]] if change[0] is not None else found.unknown]
            if passed < history.early:
                totals.append(found.early[change[0]])
            elif not self._nowhere.isdisjoint(sides):
                totals.append(found.absent)
            for total in totals:
                total.questions += 1
                total.add(*weighed)
            yield (*self._keys[number], number, passed, *weighed, *sides, *change)

    def _changed(self, sides: SetNumbers) -> tuple[str | None, str | None]:
        before, after = sides
        if before is None or after is None:
            return None, None
        if before == after:
            return UNCHANGED, UNCHANGED
        old, new = frozenset(self._outcome_sets[before]), frozenset(self._outcome_sets[after])
        return verdict_of_change(old, new), kind_of_change(old, new)


def write_outcome_sets(sets: Mapping[Outcomes, int], folder: Location) -> None:
    """Write the outcomes and the verdict of each outcome set."""
    rows = [
        {"number": number, "outcomes": [one.as_json() for one in outcomes], "verdict": _verdict(outcomes)}
        for outcomes, number in sets.items()
    ]
    write_table(pa.Table.from_pylist(rows, schema=OUTCOME_SETS), folder / "sets.parquet")


def _verdict(outcomes: Outcomes) -> str | None:
    return verdict(outcomes) if outcomes else None


def _columns(rows: Iterable[tuple[object, ...]]) -> list[pa.Array]:
    return [pa.array(column, type=field.type) for column, field in zip(zip(*rows, strict=True), ANSWERS, strict=True)]

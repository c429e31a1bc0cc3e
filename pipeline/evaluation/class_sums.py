"""Read the traffic of each class per day, or per moment, from files in batches.

Their number is that of classes times days, however many rows the traffic has.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq

from pipeline.evaluation.evaluator import ClassKey
from pipeline.files.location import Location
from pipeline.files.parquet import parquet_source
from pipeline.results.run_record import RowCountError
from pipeline.schemas import KEY_COLUMNS
from pipeline.transforms.aggregation import WEIGHTS

DAY_US, MOMENT_US = 86_400_000_000, 1
"""Lengths in microseconds."""
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)


class ClassSum(NamedTuple):
    """The traffic of a class from a moment on."""

    number: int
    """Number of the class."""
    begin: int
    """Microseconds since 1970."""
    rows: int
    messages: int
    bytes: int


@dataclass(frozen=True, slots=True)
class ClassSums:
    """Files of sums over ranges of the same length."""

    files: Sequence[Location]
    column: str
    """The column with the begin of each range."""
    length: int
    """Length of a range, in microseconds."""

    def __iter__(self) -> Iterator[ClassSum]:
        for batch in _batches(self.files, ("class", self.column, *WEIGHTS)):
            number, begin, *weights = batch.columns
            micros = begin.cast(pa.timestamp("us")).cast(pa.int64())
            yield from map(
                ClassSum._make, zip(*(column.to_pylist() for column in (number, micros, *weights)), strict=True)
            )

    def begins(self) -> dict[int, list[int]]:
        """Return, for each class, the sorted begins of the ranges in which it has traffic."""
        found: dict[int, set[int]] = defaultdict(set)
        for one in self:
            found[one.number].add(one.begin)
        return {number: sorted(begins) for number, begins in found.items()}

    def next_begin(self, begins: Sequence[int], moment: int) -> int | None:
        """Return the first moment from `moment` on at which there is traffic, or None."""
        place = bisect_right(begins, moment - self.length)
        return max(moment, begins[place]) if place < len(begins) else None


def partial_sums_in(table: pa.Table) -> Iterator[tuple[int, date, int, int, int, int]]:
    """Yield the rows of `partial_sums`: class, day, interval and weights."""
    names = ("class", "day", "interval", *WEIGHTS)
    return zip(*(table.column(name).to_pylist() for name in names), strict=True)


def class_keys_in(files: Sequence[Location]) -> dict[int, ClassKey]:
    """Return the key of each class number. Raises `RowCountError` if two keys have one number."""
    found: dict[int, ClassKey] = {}
    for batch in _batches(files, ("class", *KEY_COLUMNS)):
        numbers, *keys = (column.to_pylist() for column in batch.columns)
        for number, key in zip(numbers, map(ClassKey._make, zip(*keys, strict=True)), strict=True):
            if found.setdefault(number, key) != key:
                raise RowCountError(f"{key} and {found[number]} have one number")
    return found


def _batches(files: Sequence[Location], columns: Sequence[str]) -> Iterator[pa.RecordBatch]:
    for file in files:
        with parquet_source(file) as source:
            for batch in pq.ParquetFile(source).iter_batches(columns=list(columns)):
                yield batch.select(list(columns))


def to_micros(moment: datetime) -> int:
    """Convert to microseconds since 1970, as in Spark."""
    return (moment - _EPOCH) // _MICROSECOND


def from_micros(moment: int) -> datetime:
    """Convert to a moment in UTC."""
    return _EPOCH + moment * _MICROSECOND

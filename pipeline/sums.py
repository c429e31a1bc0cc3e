"""What each class of a traffic carried in stretches of time, as files that the driver reads in batches.

There are as many as classes times days, whatever the number of rows.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq

from pipeline.counting import files_in
from pipeline.engine import Key
from pipeline.record import DoesNotAddUpError
from pipeline.schemas import KEYS
from pipeline.transforms.weighing import WEIGHTS

A_DAY, A_MOMENT = 86_400_000_000, 1
"""In microseconds, as all moments here are, since 1970."""
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)


class Sum(NamedTuple):
    """What a class carried from a moment on."""

    number: int
    """Of the class."""
    begin: int
    rows: int
    messages: int
    bytes: int


@dataclass(frozen=True, slots=True)
class Sums:
    """Folders of sums, of stretches of the same length."""

    folders: Sequence[Path]
    column: str
    """Where it is said when a stretch begins."""
    length: int

    def __iter__(self) -> Iterator[Sum]:
        for batch in _batches(self.folders, ("class", self.column, *WEIGHTS)):
            number, begin, *weights = batch.columns
            micros = begin.cast(pa.timestamp("us")).cast(pa.int64())
            yield from map(Sum._make, zip(*(column.to_pylist() for column in (number, micros, *weights)), strict=True))

    def begins(self) -> dict[int, list[int]]:
        """When a class carried anything: the beginning of each stretch, in order."""
        found: dict[int, set[int]] = defaultdict(set)
        for one in self:
            found[one.number].add(one.begin)
        return {number: sorted(begins) for number, begins in found.items()}

    def next_begin(self, begins: Sequence[int], moment: int) -> int | None:
        """From this moment on, the first at which there is anything; None: there is nothing more."""
        place = bisect_right(begins, moment - self.length)
        return max(moment, begins[place]) if place < len(begins) else None


def parts_in(table: pa.Table) -> Iterator[tuple[int, date, int, int, int, int]]:
    """What was found out of rows: class, day, interval and weights."""
    names = ("class", "day", "interval", *WEIGHTS)
    return zip(*(table.column(name).to_pylist() for name in names), strict=True)


def keys_in(folders: Sequence[Path]) -> dict[int, Key]:
    """What the number of each class stands for. Raises `DoesNotAddUpError` where two have one number."""
    found: dict[int, Key] = {}
    for batch in _batches(folders, ("class", *KEYS)):
        numbers, *keys = (column.to_pylist() for column in batch.columns)
        for number, key in zip(numbers, map(Key._make, zip(*keys, strict=True)), strict=True):
            if found.setdefault(number, key) != key:
                raise DoesNotAddUpError(f"{key} and {found[number]} have one number")
    return found


def _batches(folders: Sequence[Path], columns: Sequence[str]) -> Iterator[pa.RecordBatch]:
    for path in (path for folder in folders for path in files_in(folder)):
        for batch in pq.ParquetFile(path).iter_batches(columns=list(columns)):
            yield batch.select(list(columns))


def to_micros(moment: datetime) -> int:
    """As Spark has a timestamp."""
    return (moment - _EPOCH) // _MICROSECOND


def from_micros(moment: int) -> datetime:
    """In UTC."""
    return _EPOCH + moment * _MICROSECOND

"""The moments that matter for each class of a traffic, as a table: class by class, from file to file."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from pipeline.counting import files_in
from pipeline.epochs import Epochs, Key
from pipeline.schemas import KEYS, MARKS

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)


def write_marks(classes: Iterable[Path], epochs: Epochs, folder: Path) -> None:
    """Of the classes in these folders, those for which something changes at some time."""
    folder.mkdir(parents=True)
    with pq.ParquetWriter(folder / "marks.parquet", MARKS) as writer:
        for path in (path for one in classes for path in files_in(one)):
            for batch in pq.ParquetFile(path).iter_batches(columns=[*KEYS, "class"]):
                writer.write_table(_marks(batch, epochs))


def _marks(batch: pa.RecordBatch, epochs: Epochs) -> pa.Table:
    *keys, numbers = (column.to_pylist() for column in batch.columns)
    marks = [epochs.marks(key) for key in map(Key._make, zip(*keys, strict=True))]
    rows = [
        {"class": number, "marks": [(moment - _EPOCH) // _MICROSECOND for moment in moments]}
        for number, moments in zip(numbers, marks, strict=True)
        if moments
    ]
    return pa.Table.from_pylist(rows, schema=MARKS)

"""The classes that a run of `ingest` meets: those whose names were looked at before, and those it adds to its lake."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from pipeline.counting import files_in, rows_in
from pipeline.files import PARQUET, File
from pipeline.lake import CLASSES, SILVER, SILVER_TYPE, SUMS, Lake
from pipeline.output import write_rows
from pipeline.schemas import KEYS, LONGEST
from pipeline.transforms.cleaning import CLASS, named
from pipeline.transforms.weighing import daily

MANY, FIRST = 1_000_000, 50_000
"""Of a file with so many rows, so many are looked at first: they have nearly all of the classes."""
MOST = 1_000_000
"""Classes that each task has at hand."""
READ = {"string": pa.string(), "boolean": pa.bool_()}
"""Kinds of columns that are looked at first."""
MOST_BYTES = 1 << 28
"""Of the keys in the group of rows that is looked at first."""


@dataclass(frozen=True, slots=True)
class Known:
    """Classes whose names need not be looked at again."""

    stored: pa.Array
    """The numbers of those that the lake has."""
    seen: pa.Table | None
    """Of a new lake the first that are met, with their keys."""

    def frame(self, spark: SparkSession) -> DataFrame | None:
        """Their numbers, for each task; None: there are none."""
        numbers = self.seen.column(CLASS) if self.seen else self.stored.slice(0, MOST)
        return spark.createDataFrame(pa.table({CLASS: numbers})) if len(numbers) else None


def known_classes(spark: SparkSession, lake: Lake, files: Sequence[File]) -> Known:
    """Those of the lake, or of a new one the first that are met."""
    stored = _numbers(lake.folders(CLASSES))
    keys = None if len(stored) else _first_keys(max(files, key=lambda file: file.rows))
    return Known(stored, None if keys is None else named(spark.createDataFrame(keys)).toArrow())


def _first_keys(file: File) -> pa.Table | None:
    """The keys of the first rows of a large file, each once; None where it is no such file.

    What they stand for is for the transforms to say. A file that is damaged here is found to be when it is read.
    """
    columns = _key_columns(file) if file.rows >= MANY else {}
    try:
        first = _first_rows(file.path, columns) if columns else None
        return None if first is None or _is_long(first) else _each_once(first, columns)
    except (OSError, ValueError, pa.ArrowException):
        return None


def _each_once(first: pa.Table, columns: Mapping[str, str]) -> pa.Table:
    found = first.group_by(first.column_names).aggregate([])
    missing = pa.nulls(found.num_rows, pa.string())
    return pa.table({name: found[name].cast(READ[columns[name]]) if name in columns else missing for name in KEYS})


def _first_rows(path: Path, columns: Mapping[str, str]) -> pa.Table | None:
    """Of the first group of rows; None where that is too much at a time. A text that comes often is there once."""
    texts = [name for name, kind in columns.items() if kind == "string"]
    with pq.ParquetFile(path, read_dictionary=texts) as parquet:
        if _size(parquet.metadata.row_group(0), columns) > MOST_BYTES:
            return None
        batches = parquet.iter_batches(FIRST, row_groups=[0], columns=list(columns))
        return pa.Table.from_batches(islice(batches, 1))


def _size(group: pq.RowGroupMetaData, columns: Collection[str]) -> int:
    chunks = map(group.column, range(group.num_columns))
    return sum(chunk.total_uncompressed_size for chunk in chunks if chunk.path_in_schema in columns)


def _is_long(first: pa.Table) -> bool:
    """Whether it has texts that are no names, which may be as long as a file."""
    texts = [column for column in first.columns if pa.types.is_dictionary(column.type)]
    lengths = (pc.max(pc.binary_length(chunk.dictionary)).as_py() for column in texts for chunk in column.chunks)
    return any(length is not None and length > 4 * max(LONGEST.values()) for length in lengths)


def _key_columns(file: File) -> dict[str, str]:
    """Of a Parquet file, with their kinds; none where one is unusual."""
    if file.layout is None or file.layout.kind != PARQUET:
        return {}
    columns = {name: kind for name, kind in file.layout.columns if name in KEYS}
    return columns if set(columns.values()) <= READ.keys() else {}


def write_sums(spark: SparkSession, lake: Lake, known: Known) -> None:
    """What is asked about instead of rows: each class on each day; and the classes that no run met before."""
    silver, sums = lake.staging / SILVER, lake.staging / SUMS
    if not rows_in(silver):
        return
    rows = spark.read.schema(SILVER_TYPE).parquet(str(silver))
    write_rows(daily(rows).coalesce(1), sums)
    new = _without(_numbers([str(sums)]), known.stored)
    if known.seen is not None:
        _write_seen(known.seen.filter(pc.is_in(known.seen[CLASS], value_set=new)), lake.staging / CLASSES)
        new = _without(new, known.seen[CLASS].combine_chunks())
    if len(new):
        strange = F.broadcast(spark.createDataFrame(pa.table({CLASS: new})))
        named_by_rows = rows.join(strange, CLASS, "left_semi").select(*KEYS, CLASS).dropDuplicates()
        write_rows(named_by_rows.coalesce(1), lake.staging / CLASSES)


def _write_seen(classes: pa.Table, folder: Path) -> None:
    folder.mkdir()
    pq.write_table(classes, folder / "seen.parquet")


def _numbers(folders: Sequence[str]) -> pa.Array:
    """Of the classes in these folders, each once."""
    paths = (path for folder in folders for path in files_in(Path(folder)))
    tables = [pq.read_table(path, columns=[CLASS], partitioning=None) for path in paths]
    found = pa.concat_tables(tables) if tables else pa.table({CLASS: pa.array([], pa.int64())})
    return found.column(CLASS).unique()


def _without(numbers: pa.Array, others: pa.Array) -> pa.Array:
    return numbers.filter(pc.invert(pc.is_in(numbers, value_set=others)))

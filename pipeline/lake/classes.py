"""Find the classes of a run of `ingest`, so that it checks each name once, and add new ones to the lake."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from pipeline.files.location import Location, spark_name
from pipeline.files.parquet import parquet_source, write_table
from pipeline.inputs.files import PARQUET, InputFile
from pipeline.lake.lake import Lake
from pipeline.lake.new_run import NewRun
from pipeline.lake.tables import CLASSES, SILVER, SILVER_TYPE, SUMS
from pipeline.results.output_folder import write_rows
from pipeline.results.parquet_counts import parquet_files_in, rows_in
from pipeline.schemas import KEY_COLUMNS, MAX_NAME_LENGTHS
from pipeline.transforms.aggregation import daily_sums
from pipeline.transforms.cleaning import CLASS, valid_keys

SAMPLED_FILE_ROWS, SAMPLE_ROWS = 1_000_000, 50_000
"""A file with `SAMPLED_FILE_ROWS` rows or more is sampled: its first `SAMPLE_ROWS` rows have nearly all classes."""
MAX_BROADCAST_CLASSES = 1_000_000
"""Classes that are broadcast to the tasks."""
SAMPLED_KINDS = {"string": pa.string(), "boolean": pa.bool_()}
"""Kinds of columns that are sampled."""
MAX_SAMPLE_BYTES = 1 << 28
"""Uncompressed size of the key columns in the row group that is sampled."""


@dataclass(frozen=True, slots=True)
class KnownClasses:
    """Classes whose names have been checked."""

    stored: pa.Array
    """Numbers of the classes in the lake."""
    seen: pa.Table | None
    """For a new lake: classes of the sample, with their keys."""

    def frame(self, spark: SparkSession) -> DataFrame | None:
        """Return their numbers as a table to broadcast, or None if there are none."""
        numbers = self.seen.column(CLASS) if self.seen else self.stored.slice(0, MAX_BROADCAST_CLASSES)
        return spark.createDataFrame(pa.table({CLASS: numbers})) if len(numbers) else None


def known_classes(spark: SparkSession, lake: Lake, files: Sequence[InputFile]) -> KnownClasses:
    """Return the classes of the lake; for a new lake those of a sample of the largest file."""
    stored = _numbers(lake.files(CLASSES))
    keys = None if len(stored) else _sampled_keys(max(files, key=lambda file: file.rows))
    return KnownClasses(stored, None if keys is None else valid_keys(spark.createDataFrame(keys)).toArrow())


def _sampled_keys(file: InputFile) -> pa.Table | None:
    """Return the distinct keys in the sample of a large Parquet file; None for any other file.

    A damaged file gives None too; the job finds it when it reads the file.
    """
    columns = _key_columns(file) if file.rows >= SAMPLED_FILE_ROWS else {}
    try:
        first = _sample(file.path, columns) if columns else None
        return None if first is None or _is_long(first) else _each_once(first, columns)
    except (OSError, ValueError, pa.ArrowException):
        return None


def _each_once(first: pa.Table, columns: Mapping[str, str]) -> pa.Table:
    found = first.group_by(first.column_names).aggregate([])
    missing = pa.nulls(found.num_rows, pa.string())
    return pa.table(
        {name: found[name].cast(SAMPLED_KINDS[columns[name]]) if name in columns else missing for name in KEY_COLUMNS}
    )


def _sample(path: Location, columns: Mapping[str, str]) -> pa.Table | None:
    """Return the first rows of the first row group, texts as dictionaries; None if the group is too large."""
    texts = [name for name, kind in columns.items() if kind == "string"]
    with parquet_source(path) as source, pq.ParquetFile(source, read_dictionary=texts) as parquet:
        if _size(parquet.metadata.row_group(0), columns) > MAX_SAMPLE_BYTES:
            return None
        batches = parquet.iter_batches(SAMPLE_ROWS, row_groups=[0], columns=list(columns))
        return pa.Table.from_batches(islice(batches, 1))


def _size(group: pq.RowGroupMetaData, columns: Collection[str]) -> int:
    chunks = map(group.column, range(group.num_columns))
    return sum(chunk.total_uncompressed_size for chunk in chunks if chunk.path_in_schema in columns)


def _is_long(first: pa.Table) -> bool:
    """Return whether a text is much longer than any name: such texts may be as long as the file."""
    texts = [column for column in first.columns if pa.types.is_dictionary(column.type)]
    lengths = (pc.max(pc.binary_length(chunk.dictionary)).as_py() for column in texts for chunk in column.chunks)
    return any(length is not None and length > 4 * max(MAX_NAME_LENGTHS.values()) for length in lengths)


def _key_columns(file: InputFile) -> dict[str, str]:
    """Return the key columns of a Parquet file with their kinds; none if a kind is not sampled."""
    if file.layout is None or file.layout.kind != PARQUET or file.layout.folders:
        return {}
    columns = {name: kind for name, kind in file.layout.columns if name in KEY_COLUMNS}
    return columns if set(columns.values()) <= SAMPLED_KINDS.keys() else {}


def write_class_tables(spark: SparkSession, run: NewRun, known: KnownClasses) -> None:
    """Write the sums of each class on each day, and the classes that are new to the lake."""
    silver, sums, classes = (run.table(name) for name in (SILVER, SUMS, CLASSES))
    if not rows_in(silver):
        return
    rows = spark.read.schema(SILVER_TYPE).parquet(spark_name(silver))
    write_rows(daily_sums(rows).coalesce(1), sums)
    new = _without(_numbers(parquet_files_in(sums)), known.stored)
    if known.seen is not None:
        write_table(known.seen.filter(pc.is_in(known.seen[CLASS], value_set=new)), classes / "seen.parquet")
        new = _without(new, known.seen[CLASS].combine_chunks())
    if len(new):
        strange = F.broadcast(spark.createDataFrame(pa.table({CLASS: new})))
        named_by_rows = rows.join(strange, CLASS, "left_semi").select(*KEY_COLUMNS, CLASS).dropDuplicates()
        write_rows(named_by_rows.coalesce(1), classes)


def _numbers(files: Sequence[Location]) -> pa.Array:
    """Return the distinct class numbers in these files."""
    tables = [_numbers_in(file) for file in files]
    found = pa.concat_tables(tables) if tables else pa.table({CLASS: pa.array([], pa.int64())})
    return found.column(CLASS).unique()


def _numbers_in(file: Location) -> pa.Table:
    with parquet_source(file) as source:
        return pq.read_table(source, columns=[CLASS], partitioning=None)


def _without(numbers: pa.Array, others: pa.Array) -> pa.Array:
    return numbers.filter(pc.invert(pc.is_in(numbers, value_set=others)))

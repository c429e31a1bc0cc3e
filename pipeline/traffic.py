"""The traffic that a job is given: a lake, or files as they came."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from pipeline.counting import rows_in
from pipeline.epochs import Span
from pipeline.files import File, examined, files_below
from pipeline.lake import CLASSES, SILVER, SUMS, Lake, is_lake
from pipeline.reading import Source, read_files
from pipeline.schemas import COLUMNS
from pipeline.transforms.cleaning import CLASS, REASON


def check_traffic(name: str) -> None:
    """Raises `InputError` where there is none; before a JVM is started for it."""
    if not is_lake(name):
        files_below(name)


def traffic_files(name: str) -> list[File]:
    """The files of a folder; of a lake none, since they were examined when they came."""
    return [] if is_lake(name) else examined(files_below(name))


def span_of(name: str) -> Span | None:
    """The first and the last moment that a row may have, where that is known without reading the rows."""
    return Lake(Path(name).absolute()).span() if is_lake(name) else None


def open_traffic(spark: SparkSession, name: str, files: Sequence[File]) -> Source:
    """The rows of a lake, or of the files below a folder."""
    root = Path(name)
    if is_lake(name):
        return _of_lake(spark, Lake(root.absolute()), name)
    if root.is_file():
        return read_files(spark, files, root.parent, str(root.parent))
    return read_files(spark, files, root, name)


def _of_lake(spark: SparkSession, lake: Lake, name: str) -> Source:
    """Silver was cleaned when it was written."""
    folders = tuple(Path(folder) for folder in lake.folders(SILVER))
    files = tuple(File(folder, None, rows=rows_in(folder)) for folder in folders)
    good = F.lit(None).cast("string").alias(REASON)
    rows = lake.silver(spark).select(*COLUMNS, CLASS, good)
    placed = lake.silver(spark, with_place=True).select(
        *COLUMNS,
        CLASS,
        "_file",
        F.lit(None).cast("long").alias("_block"),
        "_row",
        F.to_json(F.struct(*COLUMNS)).alias("_raw"),
        good,
    )
    classes, sums = (tuple(map(Path, lake.folders(table))) for table in (CLASSES, SUMS))
    # Runs of before there were sums have none.
    return Source(rows, placed, None, files, lake.root, name, classes, sums if len(sums) == len(folders) else ())

"""The traffic that a job is given: a lake as it is when the job begins, or files as they came."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F

from pipeline.counting import rows_in
from pipeline.epochs import Span
from pipeline.files import File, examined, files_below, identity
from pipeline.lake import CLASSES, SILVER, SUMS, Lake, is_lake
from pipeline.reading import Source, read_files
from pipeline.schemas import COLUMNS
from pipeline.transforms.cleaning import CLASS, REASON
from pipeline.transforms.filing import DAY


@dataclass(frozen=True, slots=True)
class Traffic:
    """A lake, or a folder of files."""

    name: str
    lake: Lake | None
    """With the runs that counted when the job began: what comes meanwhile is the next one's."""

    def inputs(self) -> list[dict[str, Any]]:
        """What is read, for the record of a run: the runs of a lake, or the files."""
        return [self.lake.as_input()] if self.lake else [identity(path) for path in files_below(self.name)]

    def files(self) -> list[File]:
        """The files of a folder; of a lake none, since they were examined when they came."""
        return [] if self.lake else examined(files_below(self.name))

    def span(self) -> Span | None:
        """The first and the last moment that a row may have, where that is known without reading the rows."""
        return self.lake.span() if self.lake else None

    def open(self, spark: SparkSession, files: Sequence[File]) -> Source:
        """The rows."""
        if self.lake:
            return open_lake(spark, self.lake, self.name)
        root = Path(self.name)
        if root.is_file():
            return read_files(spark, files, root.parent, str(root.parent))
        return read_files(spark, files, root, self.name)


def traffic_of(name: str) -> Traffic:
    """Raises `InputError` where there is none; before a JVM is started for it."""
    if is_lake(name):
        lake = Lake(Path(name).absolute())
        return Traffic(name, lake.of(lake.commits().keys()))
    files_below(name)
    return Traffic(name, None)


def open_lake(spark: SparkSession, lake: Lake, name: str) -> Source:
    """Silver was cleaned when it was written."""
    folders = tuple(Path(folder) for folder in lake.folders(SILVER))
    files = tuple(File(folder, None, rows=rows_in(folder)) for folder in folders)
    rows = lake.silver(spark).select(*COLUMNS, CLASS, DAY, _good())
    classes, sums = (tuple(map(Path, lake.folders(table))) for table in (CLASSES, SUMS))
    # Runs of before there were sums have none.
    sums = sums if len(sums) == len(folders) else ()
    return Source(rows, lambda: _placed(spark, lake), None, files, lake.root, name, classes, sums)


def _placed(spark: SparkSession, lake: Lake) -> DataFrame:
    place = ("_file", F.lit(None).cast("long").alias("_block"), "_row", F.to_json(F.struct(*COLUMNS)).alias("_raw"))
    return lake.silver(spark, with_place=True).select(*COLUMNS, CLASS, *place, _good())


def _good() -> Column:
    return F.lit(None).cast("string").alias(REASON)

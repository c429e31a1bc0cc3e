"""The traffic that a job reads: a lake as it is when the job begins, or a folder of files."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F

from pipeline.evaluation.boundaries import TimeSpan
from pipeline.inputs.files import InputFile, examine_files, file_identity, files_below
from pipeline.inputs.preparing import prepared_files
from pipeline.inputs.reader import TRAFFIC_FORMAT, InputRows, read_files
from pipeline.lake.lake import CLASSES, SILVER, SUMS, Lake, is_lake
from pipeline.results.parquet_counts import rows_in
from pipeline.schemas import COLUMNS
from pipeline.transforms.cleaning import CLASS, REASON
from pipeline.transforms.day_partition import DAY


@dataclass(frozen=True, slots=True)
class TrafficInput:
    """The traffic that a job reads: a lake, or a folder of files."""

    name: str
    lake: Lake | None
    """Restricted to the runs that were committed when the job began; None for a folder of files."""
    dates: str = ""
    """The order of dates with slashes in text files."""
    encoding: str = ""
    """The encoding of text files without a byte order mark; empty: UTF-8."""

    def inputs(self) -> list[dict[str, Any]]:
        """Describe the inputs for the record of a run: the runs of a lake, or the files."""
        return [self.lake.as_input()] if self.lake else [file_identity(path) for path in files_below(self.name)]

    def files(self) -> list[InputFile]:
        """Return the files of a folder; none for a lake, whose files were examined when they were ingested."""
        return [] if self.lake else examine_files(files_below(self.name), encoding=self.encoding)

    def span(self) -> TimeSpan | None:
        """Return the first and last moment of the rows, if it is known without reading them."""
        return self.lake.span() if self.lake else None

    def open(self, spark: SparkSession, files: Sequence[InputFile], work: Path) -> InputRows:
        """Read the rows; copies of texts that need one are written below `work`."""
        if self.lake:
            return open_lake(spark, self.lake, self.name)
        form, named = replace(TRAFFIC_FORMAT, dates=self.dates), Path(self.name)
        root = named.parent if named.is_file() else named
        return read_files(spark, prepared_files(files, root, work), root, str(root), form)


def traffic_input(name: str, dates: str = "", encoding: str = "") -> TrafficInput:
    """Find the traffic of this name, without Spark. Raises `InputError` if there is none."""
    if is_lake(name):
        lake = Lake(Path(name).absolute())
        return TrafficInput(name, lake.only_runs(lake.commits().keys()))
    files_below(name)
    return TrafficInput(name, None, dates, encoding)


def open_lake(spark: SparkSession, lake: Lake, name: str) -> InputRows:
    """Read the rows of a lake, which were cleaned when they were ingested."""
    folders = tuple(Path(folder) for folder in lake.folders(SILVER))
    files = tuple(InputFile(folder, None, rows=rows_in(folder)) for folder in folders)
    rows = lake.silver(spark).select(*COLUMNS, CLASS, DAY, _good())
    classes, sums = (tuple(map(Path, lake.folders(table))) for table in (CLASSES, SUMS))
    # Runs of older versions of the pipeline have no sums.
    sums = sums if len(sums) == len(folders) else ()
    return InputRows(
        rows=rows,
        placed=lambda: _placed(spark, lake),
        lines=None,
        files=files,
        root=lake.root,
        display_root=name,
        classes=classes,
        sums=sums,
    )


def _placed(spark: SparkSession, lake: Lake) -> DataFrame:
    place = ("_file", F.lit(None).cast("long").alias("_block"), "_row", F.to_json(F.struct(*COLUMNS)).alias("_raw"))
    return lake.silver(spark, with_place=True).select(*COLUMNS, CLASS, *place, _good())


def _good() -> Column:
    return F.lit(None).cast("string").alias(REASON)

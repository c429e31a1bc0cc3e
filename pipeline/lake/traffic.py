"""The traffic that a job reads: a lake as it is when the job begins, or a folder of files."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F

from pipeline.evaluation.boundaries import TimeSpan
from pipeline.files.file_system import folder_of
from pipeline.files.location import Location
from pipeline.inputs.files import InputFile, examine_files, file_identity, files_below
from pipeline.inputs.preparing import prepared_files
from pipeline.inputs.reader import TRAFFIC_FORMAT, InputRows, read_files
from pipeline.lake.lake import Lake, existing_lake, is_lake
from pipeline.lake.tables import CLASSES
from pipeline.schemas import COLUMNS
from pipeline.transforms.cleaning import CLASS, REASON
from pipeline.transforms.day_partition import DAY
from routing.common.errors import InputError
from routing.common.sentence import say


@dataclass(frozen=True, slots=True)
class TrafficInput:
    """The traffic that a job reads: a lake, or a folder of files."""

    name: str
    lake: Lake | None
    """As it was when the job began; None for a folder of files."""
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

    def open(self, spark: SparkSession, files: Sequence[InputFile], work: Location) -> InputRows:
        """Read the rows; copies of texts that need one are written below `work`."""
        if self.lake:
            return open_lake(spark, self.lake, self.name)
        form, root = replace(TRAFFIC_FORMAT, dates=self.dates), folder_of(self.name)
        return read_files(spark, prepared_files(files, root, work), root, str(root), form)


def traffic_input(name: str, dates: str = "", encoding: str = "", version: int | None = None) -> TrafficInput:
    """Find the traffic of this name, without Spark; of a lake a version. Raises `InputError` if there is none."""
    if is_lake(name):
        return TrafficInput(name, existing_lake(name).opened(version))
    if version is not None:
        raise InputError(name, "", say("has no versions: it is not a lake"))
    files_below(name)
    return TrafficInput(name, None, dates, encoding)


def open_lake(spark: SparkSession, lake: Lake, name: str) -> InputRows:
    """Read the rows of a lake, which were cleaned when they were ingested."""
    files = tuple(InputFile(folder, None, rows=rows) for folder, rows in lake.rows_by_folder().items())
    rows = lake.silver(spark).select(*COLUMNS, CLASS, DAY, _good())
    return InputRows(
        rows=rows,
        placed=lambda: _placed(spark, lake),
        lines=None,
        files=files,
        root=lake.root,
        display_root=name,
        classes=tuple(lake.files(CLASSES)),
        sums=tuple(lake.sums()),
    )


def _placed(spark: SparkSession, lake: Lake) -> DataFrame:
    place = ("_file", F.lit(None).cast("long").alias("_block"), "_row", F.to_json(F.struct(*COLUMNS)).alias("_raw"))
    return lake.silver(spark, with_place=True).select(*COLUMNS, CLASS, *place, _good())


def _good() -> Column:
    return F.lit(None).cast("string").alias(REASON)

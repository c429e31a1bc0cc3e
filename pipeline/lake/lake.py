"""The lake: ingested traffic, run by run. A run is committed when its record is in `_commits`."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import types as T

from pipeline.evaluation.boundaries import TimeSpan
from pipeline.files.file_system import file_system, is_folder
from pipeline.files.location import Location, absolute_name, location, spark_name
from pipeline.files.parquet import parquet_metadata
from pipeline.lake.commits import COMMITS, FILES, FOLDER, record_contents
from pipeline.results.parquet_counts import parquet_files_in
from pipeline.runtime.local_tables import local_table
from pipeline.schemas import KEY_COLUMNS, TRAFFIC
from pipeline.transforms.cleaning import CLASS
from pipeline.transforms.day_partition import DAY

BRONZE, SILVER, SUMS, CLASSES, QUARANTINE = "bronze", "silver", "sums", "classes", "_quarantine"
TABLES = (BRONZE, SILVER, SUMS, CLASSES, QUARANTINE)
SILVER_TYPE = T.StructType([*TRAFFIC.fields, T.StructField(CLASS, T.LongType()), T.StructField(DAY, T.DateType())])
_DAY = "day="
PLACE = {"_file": "_metadata.file_path", "_row": "_metadata.row_index"}
CLASSES_TYPE = T.StructType([*(TRAFFIC[key] for key in KEY_COLUMNS), T.StructField(CLASS, T.LongType())])


@dataclass(frozen=True, slots=True)
class Lake:
    """A folder with a folder for each table.

    The tables are copies of the input (bronze), clean rows (silver), their sums by day, their classes, the quarantine.
    """

    root: Location
    runs: frozenset[str] | None = None
    """Names of the runs to read; None: all committed runs."""

    def only_runs(self, runs: Set[str]) -> Lake:
        """Return the lake restricted to these runs."""
        return Lake(self.root, frozenset(runs))

    def commits(self) -> dict[str, dict[str, Any]]:
        """Return the records of the committed runs by name."""
        return {name: json.loads(content) for name, content in self._records().items()}

    def _records(self) -> dict[str, bytes]:
        return record_contents(self.root, self.runs)

    def as_input(self, runs: Set[str] | None = None) -> dict[str, Any]:
        """Describe the runs that a job reads, for its record. The digest detects another lake in the same folder."""
        records = (self if runs is None else self.only_runs(runs))._records()
        digest = hashlib.sha256(b"".join(records.values())).hexdigest()
        return {"path": absolute_name(self.root), "runs": [*records], "digest": digest}

    def last_moment(self) -> datetime:
        """Return the latest moment of the clean rows, from the file footers. Raises `ValueError` if there are none."""
        groups = (group for file in self.files(SILVER) for group in _moment_chunks(parquet_metadata(file)))
        moments: list[datetime] = [group.statistics.max for group in groups]
        return max(moments)

    def folders(self, table: str) -> list[Location]:
        """Return the folders of a table, one for each committed run that has it."""
        return [folder for folder, _ in self._parts(table)]

    def files(self, table: str) -> list[Location]:
        """Return the files of a table that the committed runs have."""
        return [
            file
            for folder, named in self._parts(table)
            for file in (parquet_files_in(folder) if named is None else named)
        ]

    def rows_by_run(self, table: str) -> dict[Location, int]:
        """Return the number of rows in the folder of each committed run that has the table."""
        return {
            folder: sum(
                parquet_metadata(file).num_rows for file in (parquet_files_in(folder) if named is None else named)
            )
            for folder, named in self._parts(table)
        }

    def _parts(self, table: str) -> Iterator[tuple[Location, list[Location] | None]]:
        """Yield the folder of each run that has a table, with the files that its record names, if it names any."""
        for run, record in self.commits().items():
            folder = self.root / table / record.get(FOLDER, run)
            if FILES not in record:
                if is_folder(folder):
                    yield folder, None
            elif names := record[FILES].get(table):
                yield folder, [folder / name for name in names]

    def span(self) -> TimeSpan | None:
        """Return the start of the first day and the end of the last day of the clean rows; None if there are none."""
        days = [day for folder, named in self._parts(SILVER) for day in _days(folder, named)]
        if not days:
            return None
        first, last = (datetime.fromisoformat(day).replace(tzinfo=UTC) for day in (min(days), max(days)))
        return first, last.replace(hour=23, minute=59, second=59, microsecond=999_999)

    def silver(self, spark: SparkSession, *, with_place: bool = False) -> DataFrame:
        """Read the clean rows; `with_place`: with the file of each row and its number in it."""
        return self._table(spark, SILVER, SILVER_TYPE, PLACE if with_place else {})

    def classes(self, spark: SparkSession) -> DataFrame:
        """Read the classes with their keys."""
        return self._table(spark, CLASSES, CLASSES_TYPE, {}).dropDuplicates()

    def _table(self, spark: SparkSession, table: str, columns: T.StructType, more: dict[str, str]) -> DataFrame:
        sources = [
            spark_name(place)
            for folder, named in self._parts(table)
            for place in ([folder] if named is None else named)
        ]
        if not sources:
            # No run has written this table yet.
            return local_table(spark, [], columns).selectExpr("*", *(f"NULL AS {name}" for name in more))
        base = spark_name(self.root / table)
        found = spark.read.schema(columns).option("basePath", base).parquet(*sources)
        return found.selectExpr(*columns.names, *(f"{place} AS {name}" for name, place in more.items()))


def _days(folder: Location, named: Sequence[Location] | None) -> Iterator[str]:
    """Yield the days of a run from the names of its folders."""
    if named is None:
        found = (place.name for place, _ in file_system(folder).listed(folder))
    else:
        found = (place.parent.name for place in named)
    yield from (name.removeprefix(_DAY) for name in found if name.startswith(_DAY))


def _moment_chunks(metadata: Any) -> Iterator[Any]:
    """Yield the metadata of the column `at` for each row group of a file."""
    for number in range(metadata.num_row_groups):
        group = metadata.row_group(number)
        yield next(c for c in map(group.column, range(group.num_columns)) if c.path_in_schema == "at")


def is_lake(name: str) -> bool:
    """Return whether a folder is a lake."""
    return is_folder(location(name) / COMMITS)

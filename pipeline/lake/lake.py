"""The lake: ingested traffic, run by run. A run counts when the log of `silver` names it."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import types as T

from pipeline.delta.table import TableFile
from pipeline.evaluation.boundaries import TimeSpan
from pipeline.files.file_system import is_folder
from pipeline.files.location import Location, absolute_name, location, spark_name
from pipeline.files.parquet import parquet_metadata
from pipeline.lake.commits import COMMITS, RUN, LakeRun, LakeState, read_state
from pipeline.lake.tables import CLASSES, CLASSES_TYPE, SILVER, SILVER_TYPE, SUMS
from pipeline.results.parquet_counts import parquet_files_in
from pipeline.runtime.local_tables import local_table
from pipeline.transforms.day_partition import DAY, with_day
from routing.common.errors import InputError
from routing.common.sentence import say

PLACE = {"_file": "_metadata.file_path", "_row": "_metadata.row_index"}


@dataclass(frozen=True, slots=True)
class Lake:
    """A folder with a folder for each table.

    The tables are copies of the input (bronze), clean rows (silver), their sums by day, their classes, the quarantine.
    """

    root: Location
    runs: frozenset[str] | None = None
    """Names of the runs to read; None: all runs that count."""
    state: LakeState | None = None
    """The lake at one moment; None: as it is whenever it is asked."""

    def opened(self, version: int | None = None) -> Lake:
        """Return the lake as it is now, or as it was in a version of `silver`: later runs do not change it."""
        return replace(self, state=read_state(self.root, version))

    def only_runs(self, runs: Set[str]) -> Lake:
        """Return the lake restricted to these runs."""
        return replace(self, runs=frozenset(runs))

    def commits(self) -> dict[str, dict[str, Any]]:
        """Return the records of the runs by name."""
        return {run.name: dict(run.record) for run in self._runs()}

    def as_input(self, runs: Set[str] | None = None) -> dict[str, Any]:
        """Describe the runs that a job reads, for its record. The digest detects another lake in the same folder."""
        found = (self if runs is None else self.only_runs(runs))._runs()
        digest = hashlib.sha256(b"".join(run.content for run in found)).hexdigest()
        return {"path": absolute_name(self.root), "runs": [run.name for run in found], "digest": digest}

    def is_apart(self, runs: Set[str]) -> bool:
        """Return whether no file has rows both of these runs and of others."""
        state = self._read()
        return all(found <= runs or not found & runs for found in map(state.runs_in, state.silver))

    def last_moment(self) -> datetime:
        """Return the latest moment of the clean rows, from the footers of the last day. Raises `ValueError` if there
        are no rows."""
        files = self._silver()
        last = max(file.partition[DAY] or "" for file in files)
        groups = (
            group
            for file in files
            if file.partition[DAY] == last
            for group in _moment_chunks(parquet_metadata(file.place))
        )
        moments: list[datetime] = [group.statistics.max for group in groups]
        return max(moments)

    def folders(self, table: str) -> list[Location]:
        """Return the folders of a table that have files."""
        if table == SILVER:
            return [*_by_folder(self.root, self._silver())]
        return [self.root / table / run.folder for run in self._runs() if run.files(self.root, table)]

    def files(self, table: str) -> list[Location]:
        """Return the files of a table that count."""
        if table == SILVER:
            return [file.place for file in self._silver()]
        return [file for run in self._runs() for file in run.files(self.root, table)]

    def rows_by_folder(self) -> dict[Location, int]:
        """Return the number of clean rows in each folder of them."""
        return {folder: sum(map(_rows, files)) for folder, files in _by_folder(self.root, self._silver()).items()}

    def sums(self) -> list[Location]:
        """Return the files with the sums of the clean rows; none if they are not those of all rows: a run of an older
        version of the pipeline has none, and another program may have altered the rows."""
        runs = [run for run in self._runs() if run.rows]
        files = [run.files(self.root, SUMS) for run in runs]
        rows = sum(self.rows_by_folder().values())
        return [file for found in files for file in found] if all(files) and rows == _sum_of(runs) else []

    def span(self) -> TimeSpan | None:
        """Return the start of the first day and the end of the last day of the clean rows; None if there are none."""
        days = [day for file in self._silver() if (day := file.partition[DAY])]
        if not days:
            return None
        first, last = (datetime.fromisoformat(day).replace(tzinfo=UTC) for day in (min(days), max(days)))
        return first, last.replace(hour=23, minute=59, second=59, microsecond=999_999)

    def silver(self, spark: SparkSession, *, with_place: bool = False) -> DataFrame:
        """Read the clean rows; `with_place`: with the file of each row and its number in it."""
        more = PLACE if with_place else {}
        files = self._silver()
        ours = [file for file in files if file.path.startswith(RUN)]
        rows = self._rows(spark, _sources(self.root, ours), more)
        others = [spark_name(file.place) for file in files if not file.path.startswith(RUN)]
        return rows.unionByName(_others(spark, others, more)) if others else rows

    def rows_of(self, spark: SparkSession, files: Sequence[TableFile]) -> DataFrame:
        """Read files with clean rows that runs wrote."""
        return self._rows(spark, [spark_name(file.place) for file in files], {})

    def _rows(self, spark: SparkSession, sources: Sequence[str], more: Mapping[str, str]) -> DataFrame:
        return _table(spark, self.root / SILVER, sources, SILVER_TYPE, more)

    def classes(self, spark: SparkSession) -> DataFrame:
        """Read the classes with their keys."""
        sources = [*map(spark_name, self.files(CLASSES))]
        return _table(spark, self.root / CLASSES, sources, CLASSES_TYPE, {}).dropDuplicates()

    def _read(self) -> LakeState:
        return self.state or read_state(self.root)

    def _runs(self) -> list[LakeRun]:
        return [run for run in self._read().runs if self.runs is None or run.name in self.runs]

    def _silver(self) -> list[TableFile]:
        """Return the files with the clean rows of the runs to read, those of a folder beside each other."""
        state = self._read()
        wanted = state.names if self.runs is None else self.runs
        return sorted((file for file in state.silver if state.runs_in(file) <= wanted), key=lambda file: file.path)


def _by_folder(root: Location, files: Sequence[TableFile]) -> dict[Location, list[TableFile]]:
    found: dict[Location, list[TableFile]] = {}
    for file in files:
        found.setdefault(root / SILVER / file.path.partition("/")[0], []).append(file)
    return found


def _sources(root: Location, files: Sequence[TableFile]) -> list[str]:
    """Return the names by which Spark reads these files. It reads a whole folder more quickly than its files; in a
    store, a listing may be late."""
    return [
        spark_name(place)
        for folder, found in _by_folder(root, files).items()
        for place in ([folder] if _is_all_of(folder, found) else [file.place for file in found])
    ]


def _is_all_of(folder: Location, files: Sequence[TableFile]) -> bool:
    return isinstance(folder, Path) and len(parquet_files_in(folder)) == len(files)


def _table(
    spark: SparkSession, base: Location, sources: Sequence[str], columns: T.StructType, more: Mapping[str, str]
) -> DataFrame:
    if not sources:
        # No run has written this table yet.
        return local_table(spark, [], columns).selectExpr("*", *(f"CAST(NULL AS {_kind(n)}) AS {n}" for n in more))
    found = spark.read.schema(columns).option("basePath", spark_name(base)).parquet(*sources)
    return found.selectExpr(*columns.names, *(f"{place} AS {name}" for name, place in more.items()))


def _kind(name: str) -> str:
    return "bigint" if name == "_row" else "string"


def _others(spark: SparkSession, sources: Sequence[str], more: Mapping[str, str]) -> DataFrame:
    """Read files that another program wrote, whose folders may have any names."""
    stored = T.StructType([one for one in SILVER_TYPE if one.name != DAY])
    found = with_day(spark.read.schema(stored).option("recursiveFileLookup", "true").parquet(*sources))
    return found.selectExpr(*SILVER_TYPE.names, *(f"{place} AS {name}" for name, place in more.items()))


def _rows(file: TableFile) -> int:
    rows: int = parquet_metadata(file.place).num_rows if file.rows is None else file.rows
    return rows


def _sum_of(runs: Sequence[LakeRun]) -> int:
    return sum(run.rows for run in runs)


def _moment_chunks(metadata: Any) -> Iterator[Any]:
    """Yield the metadata of the column `at` for each row group of a file."""
    for number in range(metadata.num_row_groups):
        group = metadata.row_group(number)
        yield next(c for c in map(group.column, range(group.num_columns)) if c.path_in_schema == "at")


def is_lake(name: str) -> bool:
    """Return whether a folder is a lake."""
    return is_folder(location(name) / COMMITS)


def existing_lake(name: str) -> Lake:
    """Return the lake of this name. Raises `InputError` if there is none."""
    if not is_lake(name):
        raise InputError(name, "", say("is not a lake: ingest makes one"))
    place = location(name)
    return Lake(place.absolute() if isinstance(place, Path) else place)

"""The lake: ingested traffic, run by run. A run is committed when its record is in `_commits`."""

from __future__ import annotations

import fcntl
import hashlib
import json
import shutil
from collections.abc import Iterator, Set
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import types as T

from pipeline.evaluation.boundaries import TimeSpan
from pipeline.results.output_folder import write_record
from pipeline.results.parquet_counts import parquet_files_in
from pipeline.schemas import KEY_COLUMNS, TRAFFIC
from pipeline.transforms.cleaning import CLASS
from pipeline.transforms.day_partition import DAY
from routing.common.errors import InputError
from routing.common.sentence import say

BRONZE, SILVER, SUMS, CLASSES, QUARANTINE = "bronze", "silver", "sums", "classes", "_quarantine"
TABLES = (BRONZE, SILVER, SUMS, CLASSES, QUARANTINE)
COMMITS, STAGING, LOCK = "_commits", "_staging", "_lock"
SILVER_TYPE = T.StructType([*TRAFFIC.fields, T.StructField(CLASS, T.LongType()), T.StructField(DAY, T.DateType())])
PLACE = {"_file": "_metadata.file_path", "_row": "_metadata.row_index"}
CLASSES_TYPE = T.StructType([*(TRAFFIC[key] for key in KEY_COLUMNS), T.StructField(CLASS, T.LongType())])


@dataclass(frozen=True, slots=True)
class Lake:
    """A folder with a folder for each table.

    The tables are copies of the input (bronze), clean rows (silver), their sums by day, their classes, the quarantine.
    """

    root: Path
    runs: frozenset[str] | None = None
    """Names of the runs to read; None: all committed runs."""

    def only_runs(self, runs: Set[str]) -> Lake:
        """Return the lake restricted to these runs."""
        return Lake(self.root, frozenset(runs))

    def commits(self) -> dict[str, dict[str, Any]]:
        """Return the records of the committed runs by name."""
        return {path.stem: json.loads(path.read_text(encoding="utf-8")) for path in self._records()}

    def _records(self) -> list[Path]:
        found = sorted((self.root / COMMITS).glob("run=*.json"))
        return [path for path in found if self.runs is None or path.stem in self.runs]

    def as_input(self, runs: Set[str] | None = None) -> dict[str, Any]:
        """Describe the runs that a job reads, for its record. The digest detects another lake in the same folder."""
        records = (self if runs is None else self.only_runs(runs))._records()
        digest = hashlib.sha256(b"".join(path.read_bytes() for path in records)).hexdigest()
        return {"path": str(self.root), "runs": [path.stem for path in records], "digest": digest}

    def last_moment(self) -> datetime:
        """Return the latest moment of the clean rows, from the file footers. Raises `ValueError` if there are none."""
        files = (path for folder in self.folders(SILVER) for path in parquet_files_in(Path(folder)))
        groups = (group for path in files for group in _moment_chunks(pq.read_metadata(path)))
        moments: list[datetime] = [group.statistics.max for group in groups]
        return max(moments)

    def folders(self, table: str) -> list[str]:
        """Return the folders of a table, one for each committed run that has it."""
        found = (self.root / table / run for run in self.commits())
        return [str(folder) for folder in found if folder.is_dir()]

    def span(self) -> TimeSpan | None:
        """Return the start of the first day and the end of the last day of the clean rows; None if there are none."""
        days = [path.name.removeprefix("day=") for run in self.folders(SILVER) for path in Path(run).glob("day=*")]
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
        folders = self.folders(table)
        if not folders:
            # No run has written this table yet.
            return spark.createDataFrame([], columns).selectExpr("*", *(f"NULL AS {name}" for name in more))
        base = str(self.root / table)
        found = spark.read.schema(columns).option("basePath", base).parquet(*folders)
        return found.selectExpr(*columns.names, *(f"{place} AS {name}" for name, place in more.items()))

    # ------------------------------------------------------------ writing

    @property
    def staging(self) -> Path:
        """The folder in which a run writes its tables before the commit."""
        return self.root / STAGING

    def next_run(self) -> str:
        """Return the name of the next run."""
        last = max((int(name.removeprefix("run=")) for name in self.commits()), default=0)
        return f"run={last + 1:06}"

    def commit(self, run: str, record: dict[str, Any]) -> None:
        """Commit the staged tables as a run: move its folders first, write its record last."""
        for table in TABLES:
            if (self.staging / table).is_dir():
                (self.root / table).mkdir(exist_ok=True)
                (self.staging / table).rename(self.root / table / run)
        write_record(self.root / COMMITS, record, f"{run}.json")
        write_record(self.root, record)

    def roll_back(self) -> None:
        """Remove the leftovers of a run that was killed."""
        shutil.rmtree(self.staging, ignore_errors=True)
        known = self.commits()
        for table in TABLES:
            for folder in (self.root / table).glob("run=*"):
                if folder.name not in known:
                    shutil.rmtree(folder)
        self.staging.mkdir()


def _moment_chunks(metadata: Any) -> Iterator[Any]:
    """Yield the metadata of the column `at` for each row group of a file."""
    for number in range(metadata.num_row_groups):
        group = metadata.row_group(number)
        yield next(c for c in map(group.column, range(group.num_columns)) if c.path_in_schema == "at")


def is_lake(name: str) -> bool:
    """Return whether a folder is a lake."""
    return (Path(name) / COMMITS).is_dir()


@contextmanager
def lake_for_writing(name: str) -> Iterator[Lake]:
    """Lock the lake of this name for one run; make it if it does not exist.

    Raises `InputError` if it cannot be written, is another kind of folder, or is locked by another run.
    """
    root = Path(name).absolute()
    if root.exists() and not is_lake(name) and any(path.name != LOCK for path in root.iterdir()):
        raise InputError(name, "", say("holds something else than a lake: name a new folder"))
    try:
        (root / COMMITS).mkdir(parents=True, exist_ok=True)
        with (root / LOCK).open("a", encoding="utf-8") as lock:
            _lock_file(lock.fileno(), name)
            lake = Lake(root)
            lake.roll_back()
            yield lake
            shutil.rmtree(lake.staging)
    except PermissionError as error:
        raise InputError(name, "", say("cannot be written: {reason}", reason=error.strerror or str(error))) from None


def _lock_file(file: int, name: str) -> None:
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise InputError(name, "", say("is being written by another run")) from None

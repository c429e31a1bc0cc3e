"""The lake: what was ingested, run by run. A run counts once its record stands in `_commits`, and not before."""

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

from pipeline.counting import files_in
from pipeline.epochs import Span
from pipeline.output import write_record
from pipeline.schemas import KEYS, TRAFFIC
from pipeline.transforms.cleaning import CLASS
from pipeline.transforms.filing import DAY
from routing.common.errors import InputError
from routing.common.sentence import say

BRONZE, SILVER, SUMS, CLASSES, QUARANTINE = "bronze", "silver", "sums", "classes", "_quarantine"
TABLES = (BRONZE, SILVER, SUMS, CLASSES, QUARANTINE)
COMMITS, STAGING, LOCK = "_commits", "_staging", "_lock"
SILVER_TYPE = T.StructType([*TRAFFIC.fields, T.StructField(CLASS, T.LongType()), T.StructField(DAY, T.DateType())])
PLACE = {"_file": "_metadata.file_path", "_row": "_metadata.row_index"}
CLASSES_TYPE = T.StructType([*(TRAFFIC[key] for key in KEYS), T.StructField(CLASS, T.LongType())])


@dataclass(frozen=True, slots=True)
class Lake:
    """A folder with a table each for what came (bronze), for clean rows (silver), their sums by day, their classes and
    the rest."""

    root: Path
    only: frozenset[str] | None = None
    """Some of its runs, by the names of their folders; None: all that count."""

    def of(self, runs: Set[str]) -> Lake:
        """What these of its runs have brought."""
        return Lake(self.root, frozenset(runs))

    def commits(self) -> dict[str, dict[str, Any]]:
        """The records of the runs that count, by the name of their folders."""
        return {path.stem: json.loads(path.read_text(encoding="utf-8")) for path in self._records()}

    def _records(self) -> list[Path]:
        found = sorted((self.root / COMMITS).glob("run=*.json"))
        return [path for path in found if self.only is None or path.stem in self.only]

    def as_input(self, runs: Set[str] | None = None) -> dict[str, Any]:
        """Which runs of it a job reads, for its record; with a digest, since another lake may come in its place."""
        records = (self if runs is None else self.of(runs))._records()
        digest = hashlib.sha256(b"".join(path.read_bytes() for path in records)).hexdigest()
        return {"path": str(self.root), "runs": [path.stem for path in records], "digest": digest}

    def last_moment(self) -> datetime:
        """The latest of its clean rows, as their files say. Raises `ValueError` where there are none."""
        files = (path for folder in self.folders(SILVER) for path in files_in(Path(folder)))
        groups = (group for path in files for group in _groups(pq.read_metadata(path)))
        moments: list[datetime] = [group.statistics.max for group in groups]
        return max(moments)

    def folders(self, table: str) -> list[str]:
        """Where the rows of a table are that count."""
        found = (self.root / table / run for run in self.commits())
        return [str(folder) for folder in found if folder.is_dir()]

    def span(self) -> Span | None:
        """From the first day of the clean rows to the end of the last; None where there are none."""
        days = [path.name.removeprefix("day=") for run in self.folders(SILVER) for path in Path(run).glob("day=*")]
        if not days:
            return None
        first, last = (datetime.fromisoformat(day).replace(tzinfo=UTC) for day in (min(days), max(days)))
        return first, last.replace(hour=23, minute=59, second=59, microsecond=999_999)

    def silver(self, spark: SparkSession, *, with_place: bool = False) -> DataFrame:
        """The clean rows; with the file and the number in it of each."""
        return self._table(spark, SILVER, SILVER_TYPE, PLACE if with_place else {})

    def classes(self, spark: SparkSession) -> DataFrame:
        """What each class stands for, once."""
        return self._table(spark, CLASSES, CLASSES_TYPE, {}).dropDuplicates()

    def _table(self, spark: SparkSession, table: str, columns: T.StructType, more: dict[str, str]) -> DataFrame:
        folders = self.folders(table)
        if not folders:
            # A table that no run wrote yet is empty.
            return spark.createDataFrame([], columns).selectExpr("*", *(f"NULL AS {name}" for name in more))
        base = str(self.root / table)
        found = spark.read.schema(columns).option("basePath", base).parquet(*folders)
        return found.selectExpr(*columns.names, *(f"{place} AS {name}" for name, place in more.items()))

    # ------------------------------------------------------------ writing

    @property
    def staging(self) -> Path:
        """Where a run writes its tables."""
        return self.root / STAGING

    def next_run(self) -> str:
        """The name of the run after the last one that counts."""
        last = max((int(name.removeprefix("run=")) for name in self.commits()), default=0)
        return f"run={last + 1:06}"

    def commit(self, run: str, record: dict[str, Any]) -> None:
        """Makes what was staged count: its folders first, its record last."""
        for table in TABLES:
            if (self.staging / table).is_dir():
                (self.root / table).mkdir(exist_ok=True)
                (self.staging / table).rename(self.root / table / run)
        write_record(self.root / COMMITS, record, f"{run}.json")
        write_record(self.root, record)

    def roll_back(self) -> None:
        """Removes what a run that was killed left behind."""
        shutil.rmtree(self.staging, ignore_errors=True)
        known = self.commits()
        for table in TABLES:
            for folder in (self.root / table).glob("run=*"):
                if folder.name not in known:
                    shutil.rmtree(folder)
        self.staging.mkdir()


def _groups(metadata: Any) -> Iterator[Any]:
    """Of the column `at`, what is known of each part of a file."""
    for number in range(metadata.num_row_groups):
        group = metadata.row_group(number)
        yield next(c for c in map(group.column, range(group.num_columns)) if c.path_in_schema == "at")


def is_lake(name: str) -> bool:
    """Whether a folder is a lake, not one of files."""
    return (Path(name) / COMMITS).is_dir()


@contextmanager
def lake_for_writing(name: str) -> Iterator[Lake]:
    """The lake of this name, made where it is not there, for one run at a time.

    Raises `InputError` where it cannot be written, holds anything else, or is being written.
    """
    root = Path(name).absolute()
    if root.exists() and not is_lake(name) and any(path.name != LOCK for path in root.iterdir()):
        raise InputError(name, "", say("holds something else than a lake: name a new folder"))
    try:
        (root / COMMITS).mkdir(parents=True, exist_ok=True)
        with (root / LOCK).open("a", encoding="utf-8") as lock:
            _take(lock.fileno(), name)
            lake = Lake(root)
            lake.roll_back()
            yield lake
            shutil.rmtree(lake.staging)
    except PermissionError as error:
        raise InputError(name, "", say("cannot be written: {reason}", reason=error.strerror or str(error))) from None


def _take(file: int, name: str) -> None:
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise InputError(name, "", say("is being written by another run")) from None

"""The parts that a result of `telemetry` keeps beside its tables, so that the next run has to read new files alone."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from pipeline.files.file_system import state_of
from pipeline.files.location import Location, location, relative_name, spark_name
from pipeline.results.manifest import FORMAT
from pipeline.results.output_folder import RUN_RECORD, write_rows
from pipeline.results.parquet_counts import parquet_files_in
from pipeline.results.run_record import software_versions
from pipeline.runtime.local_tables import local_table
from pipeline.telemetry.latencies import MEASURED as MEASURED_COLUMNS
from pipeline.telemetry.next_hops import COMPARED as COMPARED_COLUMNS

PARTS: Final = "_parts"
EVENTS, MEASURED, COMPARED, USES = (f"{PARTS}/{name}" for name in ("events", "measured", "compared", "uses"))
"""Clean events by class; measured times and compared messages by day; when each route was used last."""
DAY = "day"
_COLUMNS = {
    MEASURED: f"{MEASURED_COLUMNS}, {DAY} date",
    COMPARED: f"{COMPARED_COLUMNS}, {DAY} date",
    USES: "instance string, database string, route string, last_used timestamp",
}
MAX_FILES = 2_000
"""With more files, everything is read again, and written into fewer."""
MAX_NEW_SHARE = 0.5
"""With more bytes of new files for each byte of former ones, computing everything again is as quick."""
_SAME_ARGUMENTS = ("events", "dates", "encoding")


@dataclass(frozen=True, slots=True)
class FormerTelemetry:
    """A result whose files are all among the files of now."""

    folder: Path
    record: dict[str, Any]

    def new_among(self, identities: Sequence[dict[str, Any]]) -> list[int]:
        """Return the numbers of the files that it has not read."""
        known = set(map(_frozen, self.record["inputs"]))
        return [number for number, identity in enumerate(identities) if _frozen(identity) not in known]

    def table(self, spark: SparkSession, name: str) -> DataFrame:
        """Read a table of the result."""
        return spark.read.parquet(spark_name(self.folder / name))

    def link_into(self, folder: Path, *names: str) -> None:
        """Hard-link the files below some of its folders into a new result."""
        for name in names:
            for path in parquet_files_in(self.folder / name):
                assert isinstance(path, Path), path
                target = folder / path.relative_to(self.folder)
                target.parent.mkdir(parents=True, exist_ok=True)
                link(path, target)


def link(path: Path, name: Path) -> None:
    """Make a hard link, or a copy if the file system has no hard links."""
    try:
        os.link(path, name)
    except OSError:
        shutil.copyfile(path, name)


def former_telemetry(
    out: str, arguments: dict[str, Any], identities: Sequence[dict[str, Any]]
) -> FormerTelemetry | None:
    """Return the result in a folder if it grows to one of these files; None: everything has to be read.

    It does not where a file that it read has changed or vanished, or the way in which files are read is another. Behind
    a URL there are no links, and everything is read.
    """
    folder = location(out)
    if not isinstance(folder, Path):
        return None
    try:
        record = json.loads((folder / RUN_RECORD).read_text(encoding="utf-8"))
        return _former(record, folder.absolute(), arguments, identities)
    except (OSError, ValueError, KeyError, TypeError):
        return None  # there is no result, or it is not one of this job


def _former(
    record: dict[str, Any], folder: Path, arguments: dict[str, Any], identities: Sequence[dict[str, Any]]
) -> FormerTelemetry | None:
    if (record["format"], record["job"], record["versions"]) != (FORMAT, "telemetry", software_versions()):
        return None
    read = {_frozen(one): one["size"] for one in record["inputs"] if "size" in one}
    sizes = {_frozen(one): one["size"] for one in identities}
    new = sum(sizes.values()) - sum(read.values())
    if not read.keys() <= sizes.keys() or new > MAX_NEW_SHARE * sum(read.values()):
        return None
    files: dict[str, int] = record["parts"]
    is_same = all(record["arguments"][name] == arguments[name] for name in _SAME_ARGUMENTS)
    is_whole = all((folder / name).stat().st_size == size for name, size in files.items())
    return FormerTelemetry(folder, record) if is_same and is_whole and len(files) <= MAX_FILES else None


def _frozen(identity: dict[str, Any]) -> tuple[tuple[str, Any], ...]:
    return tuple(sorted(identity.items()))


def parts_manifest(folder: Location) -> dict[str, int]:
    """Return the bytes of each file of the parts, for the record."""
    return {
        f"{PARTS}/{relative_name(path, folder / PARTS)}": state_of(path).size
        for path in parquet_files_in(folder / PARTS)
    }


def read_part(spark: SparkSession, folder: Location, name: str) -> DataFrame:
    """Read a part of a result, but for its events."""
    if not parquet_files_in(folder / name):
        return local_table(spark, [], _COLUMNS[name])
    return spark.read.schema(_COLUMNS[name]).parquet(spark_name(folder / name))


def write_daily(rows: DataFrame, place: Location) -> None:
    """Write rows into a folder for each day, the rows of an hour side by side."""
    daily = rows.withColumn(DAY, F.to_date("at")).repartition(F.col(DAY), F.date_trunc("hour", "at"))
    write_rows(daily, place, DAY)

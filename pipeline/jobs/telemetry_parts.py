"""The parts that a result of `telemetry` keeps beside its tables, so that the next run has to read new files alone.

Each is a Delta table. Files that still hold are taken over by their names.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.pandas.types import from_arrow_schema
from pyspark.sql.types import StructType

from pipeline.files.location import Location, relative_name, spark_name
from pipeline.results.former_files import Record, files_of, former_files
from pipeline.results.grouped_rows import write_groups
from pipeline.results.manifest import FORMAT
from pipeline.results.merging import PartitionFiles, merge_small_files
from pipeline.results.output_folder import QUARANTINE, read_record, write_rows
from pipeline.results.parquet_counts import parquet_files_in
from pipeline.results.run_record import software_versions
from pipeline.results.table_folders import PARTS, TableFolders, result_place
from pipeline.results.table_logs import PARTS_FIELD, TABLES
from pipeline.runtime.local_tables import columns_of, local_table
from pipeline.schemas import QUARANTINE as QUARANTINE_TYPE
from pipeline.telemetry.latencies import MEASURED as MEASURED_COLUMNS
from pipeline.telemetry.next_hops import COMPARED as COMPARED_COLUMNS
from pipeline.transforms.day_partition import DAY
from pipeline.transforms.events import EVENT_OF_FILE, FILE

EVENTS, MEASURED, COMPARED, USES, REPEATED = (
    f"{PARTS}/{name}" for name in ("events", "measured", "compared", "uses", "repeated")
)
"""Clean events by class; measured times and compared messages by day; when each route was used last; the keys of
rejected events that came before."""
_COLUMNS: Final[Mapping[str, StructType | str]] = {
    EVENTS: EVENT_OF_FILE,
    MEASURED: f"{MEASURED_COLUMNS}, {DAY} date",
    COMPARED: f"{COMPARED_COLUMNS}, {DAY} date",
    USES: "instance string, database string, route string, last_used timestamp",
    REPEATED: f"source string, position long, {FILE} string",
}
MAX_CHANGED_SHARE = 0.5
"""With more bytes of new and removed files for each byte of former ones, computing everything again is as quick."""
NAMED_FILES: Final = "named_files"
"""The field of a record that says whether each event names its file as the file is found below the log."""
_ORDERS: Final = {QUARANTINE: ("file", "position"), REPEATED: ("source", "position")}
"""The order of rows that have no time."""
_SAME_ARGUMENTS = ("events", "dates", "encoding")


@dataclass(frozen=True, slots=True)
class FormerTelemetry:
    """A former result of the same log. Files that it read may be gone."""

    place: Location
    record: Record
    files: Mapping[str, Mapping[Location, Record]]
    """The files of its parts and of its quarantine."""
    removed: frozenset[str]
    """The paths of files that it read and that are gone, or have changed."""

    def new_among(self, identities: Sequence[Record]) -> list[int]:
        """Return the numbers of the files that it has not read."""
        known = set(map(_frozen, self.record["inputs"]))
        return [number for number, identity in enumerate(identities) if _frozen(identity) not in known]

    def table(self, spark: SparkSession, name: str) -> DataFrame:
        """Read a table of the result."""
        return spark.read.parquet(*map(spark_name, files_of(self.place, self.record[TABLES][name])))

    def part(self, spark: SparkSession, name: str) -> DataFrame:
        """Read a part of the result."""
        return read_part(spark, self.place, name, self.files[name])


def former_telemetry(out: str, arguments: Mapping[str, Any], identities: Sequence[Record]) -> FormerTelemetry | None:
    """Return the result in a folder if it grows to one of these files; None: everything has to be read.

    It does not where much has changed, or the way in which files are read is another.
    """
    place = result_place(out)
    try:
        record = read_record(place)
        return None if record is None else _former(record, place, arguments, identities)
    except (OSError, ValueError, KeyError, TypeError):
        return None  # it is not one of this job, or it has no logs


def _former(
    record: Record, place: Location, arguments: Mapping[str, Any], identities: Sequence[Record]
) -> FormerTelemetry | None:
    if (record["format"], record["job"], record["versions"]) != (FORMAT, "telemetry", software_versions()):
        return None
    if any(record["arguments"][name] != arguments[name] for name in _SAME_ARGUMENTS):
        return None
    read = {_frozen(one): one["size"] for one in record["inputs"] if "size" in one}
    sizes = {_frozen(one): one["size"] for one in identities}
    changed = sum(size for identity, size in (read | sizes).items() if (identity in read) != (identity in sizes))
    if changed > MAX_CHANGED_SHARE * sum(read.values()):
        return None
    removed = frozenset(dict(identity)["path"] for identity in read.keys() - sizes.keys())
    if removed and not record[NAMED_FILES]:
        return None
    if not all(about["files"] for about in record[PARTS_FIELD].values()):
        return None
    files = former_files(place, record, (*_COLUMNS, QUARANTINE))
    return None if files is None else FormerTelemetry(place, record, files, removed)


def _frozen(identity: Record) -> tuple[tuple[str, Any], ...]:
    return tuple(sorted(identity.items()))


def read_part(spark: SparkSession, place: Location, name: str, files: Iterable[Location]) -> DataFrame:
    """Read these files of a part of the result at this place."""
    columns = _COLUMNS[name]
    return read_divided(spark, place / name, columns_of(columns) if isinstance(columns, str) else columns, [*files])


def read_divided(spark: SparkSession, table: Location, columns: StructType, files: Sequence[Location]) -> DataFrame:
    """Read these files of a table that is divided into folders by a column."""
    if not files:
        return local_table(spark, [], columns)
    reader = spark.read.schema(columns).option("basePath", spark_name(table))
    return reader.parquet(*map(spark_name, _sources(table, files))).select(*columns.names)


def _sources(table: Location, files: Sequence[Location]) -> list[Location]:
    """Return the folders that hold no other files, and the files of other folders. Spark reads a folder more quickly
    than its files; in a store, a listing may be late."""
    found: dict[Location, list[Location]] = {}
    for file in files:
        found.setdefault(table / relative_name(file, table).partition("/")[0], []).append(file)
    return [place for folder, of_run in found.items() for place in ([folder] if _is_all(folder, of_run) else of_run)]


def _is_all(folder: Location, files: Sequence[Location]) -> bool:
    return isinstance(folder, Path) and len(parquet_files_in(folder)) == len(files)


def write_daily(rows: DataFrame, place: Location) -> None:
    """Write rows into a folder for each day, the rows of an hour side by side."""
    daily = rows.withColumn(DAY, F.to_date("at")).repartition(F.col(DAY), F.date_trunc("hour", "at"))
    write_rows(daily, place, DAY)


def read_kept(spark: SparkSession, place: Location, name: str, files: Iterable[Location]) -> DataFrame:
    """Read these files of a part, or of the quarantine, of the result at this place."""
    if name != QUARANTINE:
        return read_part(spark, place, name, files)
    return spark.read.schema(from_arrow_schema(QUARANTINE_TYPE)).parquet(*map(spark_name, files))


def write_kept(
    rows: Callable[[PartitionFiles], DataFrame], name: str, groups: Sequence[PartitionFiles], folders: TableFolders
) -> None:
    """Write the rows of each group of files as one file into the folder of the run, in the order of time if they have
    one."""
    columns = [group.partition.partition("=")[0] for group in groups[:1] if group.partition]
    write_groups(groups, rows, _ORDERS.get(name, ("at",)), folders.table(name), *columns)


def merge_parts(spark: SparkSession, folders: TableFolders, kept: dict[str, dict[Location, Record]]) -> None:
    """Write small files of the former result again as fewer, where they have become many; they are kept no more."""

    def write(name: str, groups: Sequence[PartitionFiles]) -> None:
        write_kept(lambda group: read_kept(spark, folders.place, name, group.files), name, groups, folders)

    merge_small_files(folders, kept, write)

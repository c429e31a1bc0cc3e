"""The Delta logs of the tables of a result: which of them a record names, and a commit for each."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any, Final

import pyarrow.parquet as pq
from pyspark.sql.pandas.types import from_arrow_schema
from pyspark.sql.types import DataType, DateType, IntegerType, StructType

from pipeline.delta.errors import OvertakenError
from pipeline.delta.table import DeltaLog, TableCommit, TableVersion
from pipeline.delta.written_files import written_file
from pipeline.files.location import Location, relative_name
from pipeline.files.parquet import parquet_source
from pipeline.results.output_folder import QUARANTINE, RUN_RECORD, read_record
from pipeline.results.table_folders import PARTS, PREFIX, run_of
from routing.common.errors import InputError
from routing.common.sentence import say

VERSION: Final = "version"
"""The field of a table in a record: the version of its Delta table."""
TABLES: Final = "tables"
ROWS_TABLE: Final = "rows"
"""The table of the rows of the traffic. It grows with them, and is never loaded into the database."""
PARTS_FIELD: Final = "parts"
"""The field of a record that names the tables which a result keeps for the next run."""
FOLDER: Final = "folder"
"""The field of a former record that names the folder with the files of a result behind a URL."""
_PARTITIONS: Final[dict[str, DataType]] = {"day": DateType(), "event_class": IntegerType()}
"""The columns by which tables are divided into folders."""
_OF_PARTS: Final = {"delta.deletedFileRetentionDuration": "interval 1 day"}
"""A table for the next run has no readers of former versions, but it is as large as the input."""

Record = dict[str, Any]


def tables_of(record: Record) -> dict[str, Record]:
    """Return the tables that a record names, with the quarantine if it has one, and parts under the names of their
    folders."""
    found = dict(record.get(TABLES, {}))
    found |= {f"{PARTS}/{name}": about for name, about in record.get(PARTS_FIELD, {}).items()}
    return {**found, QUARANTINE: record[QUARANTINE]} if QUARANTINE in record else found


def as_fields(tables: dict[str, Record]) -> Record:
    """Return the fields of a record that name these tables."""
    found = {name: about for name, about in tables.items() if name != QUARANTINE and not name.startswith(PARTS)}
    parts = {name.removeprefix(f"{PARTS}/"): about for name, about in tables.items() if name.startswith(PARTS)}
    quarantine = {QUARANTINE: tables[QUARANTINE]} if QUARANTINE in tables else {}
    return {TABLES: found, **quarantine, **({PARTS_FIELD: parts} if parts else {})}


def named_files(record: Record) -> list[str]:
    """Return the names of all files of a result below its folder."""
    return [file["path"] for about in tables_of(record).values() for file in about["files"]]


def named_tables(place: Location, record: Record) -> set[Location]:
    """Return the folders of the tables that a record names."""
    return {_folder(place, about) for about in tables_of(record).values()}


def delta_tables_of(place: Location, record: Record) -> dict[str, Location]:
    """Return the folders of the Delta tables that a record names, by table."""
    return {name: _folder(place, about) for name, about in tables_of(record).items() if VERSION in about}


def commit_tables(place: Location, record: Record, versions: dict[str, int | None] | None = None) -> Record:
    """Let the files that a record names be the content of their tables.

    All logs are read before the first commit, so that one that is damaged leaves the others as they are. Returns the
    record with the versions of the tables. `versions` gets that of each commit as soon as it may count (None: nobody
    knows), so that the caller keeps the files that it names. Raises `OvertakenError`.
    """
    found = {} if versions is None else versions
    tables = tables_of(record)
    planned = {name: _planned(place, about) for name, about in tables.items()}
    for name, commit in planned.items():
        found[name] = None
        try:
            found[name] = commit.version()
        except InputError as error:
            if isinstance(error, OvertakenError) or not commit.may_count():
                del found[name]
            raise
    return {**record, **as_fields({name: {**about, VERSION: found[name]} for name, about in tables.items()})}


def published_rows(place: Location) -> list[Location] | None:
    """Return the files of the rows of a result, or of all of its tables if it has no rows; None: it has no logs."""
    tables = (read_record(place) or {}).get(TABLES, {})
    if not any(VERSION in about for about in tables.values()):
        return None
    found = [tables[ROWS_TABLE]] if ROWS_TABLE in tables else tables.values()
    return [place / file["path"] for about in found for file in about["files"]]


def published_folder(place: Location) -> Location:
    """Return the folder with the files of a result without logs, which its record may name."""
    folder = (read_record(place) or {}).get(FOLDER)
    return place / folder if isinstance(folder, str) and folder.startswith(PREFIX) else place


def last_version(place: Location, about: Record) -> int | None:
    """Return the last version of a table that a record names; None: it has no log."""
    return DeltaLog(_folder(place, about), StructType()).version()


def _folder(place: Location, about: Record) -> Location:
    """Return the folder of a table, which has a folder for the files of each run.

    Raises `InputError` if the record names a file that is in no such folder.
    """
    path = PurePosixPath(str(about["files"][0]["path"]))
    found = next((folder for folder in path.parents if run_of(folder.name) is not None), None)
    if found is None:
        raise InputError(str(place / RUN_RECORD), "", say("names a file that no run wrote: {file}", file=str(path)))
    return place / found.parent if found.parent.name else place


@dataclass(frozen=True, slots=True)
class _PlannedCommit:
    """The commit by which a table has the files of a result."""

    log: DeltaLog
    before: TableVersion | None
    commit: TableCommit | None
    """None: the table has them."""

    def version(self) -> int:
        """Commit, and return the version of the table."""
        before = None if self.before is None else self.before.version
        if self.commit is not None:
            return self.log.commit(self.commit, before)
        assert before is not None, "a table without a version needs a commit"
        return before

    def may_count(self) -> bool:
        """Return whether a commit that failed may count."""
        try:
            return self.log.version() != (None if self.before is None else self.before.version)
        except InputError:
            return True


def _planned(place: Location, about: Record) -> _PlannedCommit:
    """Plan to commit the files of a table that its log does not name yet, and the removal of those that count no
    more."""
    table = _folder(place, about)
    files = {relative_name(file, table): file for file in (place / one["path"] for one in about["files"])}
    columns = dict(_partitions(next(iter(files))))
    log = DeltaLog(table, _schema(next(iter(files.values())), columns), (*columns,), _properties(table))
    log.clear_unfinished()
    before = log.read()
    known = {file.path: file for file in before.files} if before else {}
    new = [written_file(table, file, log.partitions) for path, file in files.items() if path not in known]
    removed = [file for path, file in known.items() if path not in files]
    if before and not new and not removed:
        return _PlannedCommit(log, before, None)
    # A run that writes all files anew may write other columns.
    is_new = len(new) == len(files)
    commit = TableCommit(new, overwrite=is_new, removed=() if is_new else removed)
    return _PlannedCommit(log, before, commit)


def _partitions(path: str) -> Iterator[tuple[str, DataType]]:
    """Yield the columns by which a table is divided, with their types, by the folders of one of its files."""
    for part in PurePosixPath(path).parent.parts:
        name, _, _ = part.partition("=")
        if name in _PARTITIONS:
            yield name, _PARTITIONS[name]


def _properties(table: Location) -> dict[str, str]:
    return _OF_PARTS if table.parent.name == PARTS else {}


def _schema(file: Location, partitions: dict[str, DataType]) -> StructType:
    with parquet_source(file) as source:
        columns = from_arrow_schema(pq.read_schema(source))
    for name, kind in partitions.items():
        columns.add(name, kind)
    return columns

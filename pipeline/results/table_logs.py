"""The Delta logs of the tables of a result: which of them a record names, and a commit for each."""

from __future__ import annotations

from typing import Any, Final

import pyarrow.parquet as pq
from pyspark.sql.pandas.types import from_arrow_schema
from pyspark.sql.types import StructType

from pipeline.delta.table import DeltaLog, TableCommit
from pipeline.delta.written_files import written_file
from pipeline.files.location import Location
from pipeline.files.parquet import parquet_source
from pipeline.results.output_folder import QUARANTINE, read_record

VERSION: Final = "version"
"""The field of a table in a record: the version of its Delta table."""
TABLES: Final = "tables"
ROWS_TABLE: Final = "rows"
"""The table of the rows of the traffic. It grows with them, and is never loaded into the database."""

Record = dict[str, Any]


def tables_of(record: Record) -> dict[str, Record]:
    """Return the tables that a record names, with the quarantine if it has one."""
    found = dict(record.get(TABLES, {}))
    return {**found, QUARANTINE: record[QUARANTINE]} if QUARANTINE in record else found


def named_files(record: Record) -> list[str]:
    """Return the names of all files of a result below its folder."""
    return [file["path"] for about in tables_of(record).values() for file in about["files"]]


def named_tables(place: Location, record: Record) -> set[Location]:
    """Return the folders of the tables that a record names."""
    return {_folder(place, about) for about in tables_of(record).values()}


def delta_tables_of(place: Location, record: Record) -> dict[str, Location]:
    """Return the folders of the Delta tables that a record names, by table."""
    return {name: _folder(place, about) for name, about in tables_of(record).items() if VERSION in about}


def commit_tables(place: Location, record: Record, own: str) -> Record:
    """Let the files that a record names be the content of their tables; those in the folder `own` are new.

    Returns the record with the versions of the tables. Raises `OvertakenError`.
    """
    found = {name: {**about, VERSION: _commit(place, about, own)} for name, about in tables_of(record).items()}
    quarantine = {QUARANTINE: found.pop(QUARANTINE)} if QUARANTINE in found else {}
    return {**record, TABLES: found, **quarantine}


def published_rows(place: Location) -> list[Location] | None:
    """Return the files of the rows of a result, or of all of its tables if it has no rows; None: it is none."""
    tables = (read_record(place) or {}).get(TABLES, {})
    if not any(VERSION in about for about in tables.values()):
        return None
    found = [tables[ROWS_TABLE]] if ROWS_TABLE in tables else tables.values()
    return [place / file["path"] for about in found for file in about["files"]]


def last_version(place: Location, about: Record) -> int | None:
    """Return the last version of a table that a record names; None: it has no log."""
    return DeltaLog(_folder(place, about), StructType()).version()


def _folder(place: Location, about: Record) -> Location:
    """Return the folder of a table, which has a folder for the files of each run."""
    first: str = about["files"][0]["path"]
    return (place / first).parent.parent


def _commit(place: Location, about: Record, own: str) -> int:
    files = [place / file["path"] for file in about["files"]]
    new, table = [file for file in files if file.parent.name == own], _folder(place, about)
    log = DeltaLog(table, _columns(files[0]))
    before = log.version()
    if before is not None and not new:
        return before
    return log.commit(
        TableCommit([written_file(table, file, ()) for file in new], overwrite=len(new) == len(files)), before
    )


def _columns(file: Location) -> StructType:
    with parquet_source(file) as source:
        return from_arrow_schema(pq.read_schema(source))

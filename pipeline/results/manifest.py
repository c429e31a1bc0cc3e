"""The manifest of a result: its tables and files, so that a loader can check that none is missing."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final

from pipeline.files.file_system import file_system, state_of
from pipeline.files.location import Location, relative_name
from pipeline.files.parquet import parquet_metadata
from pipeline.results.output_folder import QUARANTINE
from pipeline.results.parquet_counts import parquet_files_in
from pipeline.results.table_folders import TableFolders
from pipeline.results.table_logs import ROWS_TABLE, TABLES

FORMAT: Final = "brokerui.gold/1"

Record = dict[str, Any]


def table_manifest(written: TableFolders, kept: Mapping[str, Sequence[Location]] = MappingProxyType({})) -> Record:
    """Return the fields of a record that name the tables of a result and its quarantine, with their files and rows.

    `kept`: files of an earlier run that still count, by table.
    """
    found = _tables(written, kept)
    quarantine = {QUARANTINE: found.pop(QUARANTINE)} if QUARANTINE in found else {}
    return {TABLES: found, **quarantine}


def folder_manifest(folder: Location) -> Record:
    """Return the field of a record that names the tables of a result whose tables are one folder each."""
    found = (
        place for place, state in file_system(folder).listed(folder) if state.is_folder and place.name[0] not in "_."
    )
    files = {table.name: parquet_files_in(table) for table in sorted(found)}
    return {TABLES: {table: _about(table, found, folder) for table, found in files.items() if found}}


def _tables(written: TableFolders, kept: Mapping[str, Sequence[Location]]) -> dict[str, Record]:
    files = {table: [*found] for table, found in kept.items()}
    for folder, own in written.written():
        table = ROWS_TABLE if folder == written.place else folder.name
        files.setdefault(table, []).extend(parquet_files_in(own))
    return {table: _about(table, found, written.place) for table, found in files.items() if found}


def _about(table: str, files: Iterable[Location], place: Location) -> Record:
    about = [_about_file(table, file, place) for file in files]
    return {"rows": sum(one["rows"] for one in about), "files": about}


def _about_file(table: str, file: Location, place: Location) -> Record:
    rows = parquet_metadata(file).num_rows
    about = {"path": relative_name(file, place), "rows": rows, "bytes": state_of(file).size}
    # A digest would read the rows of the traffic once more.
    return about if table in (ROWS_TABLE, QUARANTINE) else {**about, "sha256": _digest(file)}


def _digest(path: Location) -> str:
    with file_system(path).opened(path) as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()

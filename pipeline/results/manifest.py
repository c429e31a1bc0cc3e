"""The manifest of a result: its tables and files, so that a loader can check that none is missing."""

from __future__ import annotations

import hashlib
from types import MappingProxyType
from typing import Any, Final

from pipeline.files.file_system import file_system, state_of
from pipeline.files.location import Location, relative_name
from pipeline.files.parquet import parquet_metadata
from pipeline.results.former_files import FilesOfTables
from pipeline.results.output_folder import QUARANTINE
from pipeline.results.parquet_counts import parquet_files_in
from pipeline.results.table_folders import PARTS, TableFolders
from pipeline.results.table_logs import ROWS_TABLE, as_fields

FORMAT: Final = "brokerui.gold/1"

Record = dict[str, Any]


def table_manifest(written: TableFolders, kept: FilesOfTables = MappingProxyType({})) -> Record:
    """Return the fields of a record that name the tables of a result and its quarantine, with their files and rows.

    `kept`: files of an earlier run that still count.
    """
    tables = {name: [*files.values()] for name, files in kept.items()}
    for folder, own in written.written():
        name = _name(written.place, folder)
        tables.setdefault(name, []).extend(_about_file(name, file, written.place) for file in parquet_files_in(own))
    found = {name: {"rows": sum(one["rows"] for one in files), "files": files} for name, files in tables.items()}
    return as_fields({name: about for name, about in found.items() if about["files"]})


def _name(place: Location, folder: Location) -> str:
    if folder == place:
        return ROWS_TABLE
    return f"{PARTS}/{folder.name}" if folder.parent.name == PARTS else folder.name


def _about_file(table: str, file: Location, place: Location) -> Record:
    rows = parquet_metadata(file).num_rows
    about = {"path": relative_name(file, place), "rows": rows, "bytes": state_of(file).size}
    # A digest would read the rows of the input once more.
    is_large = table in (ROWS_TABLE, QUARANTINE) or table.startswith(PARTS)
    return about if is_large else {**about, "sha256": _digest(file)}


def _digest(path: Location) -> str:
    with file_system(path).opened(path) as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()

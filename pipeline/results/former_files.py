"""Files of a former result that a new one may take over, as its record names them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pipeline.files.file_system import state_of
from pipeline.files.location import Location
from pipeline.results.table_logs import VERSION, last_version, tables_of

Record = dict[str, Any]
FilesOfTables = Mapping[str, Mapping[Location, Record]]
"""Files by table, each with what the record of its result says of it."""


def files_of(place: Location, table: Record | None) -> dict[Location, Record]:
    """Return the files of a table of a result in this folder; none if the result has no such table."""
    return {} if table is None else {place / file["path"]: file for file in table["files"]}


def former_files(place: Location, record: Record, tables: Sequence[str]) -> dict[str, dict[Location, Record]] | None:
    """Return the files of these tables of a result; None: somebody altered one, or wrote to a table after this result,
    a killed run for one."""
    known = {name: about for name, about in tables_of(record).items() if name in tables}
    found = {name: files_of(place, known.get(name)) for name in tables}
    is_last = all(last_version(place, about) == about[VERSION] for about in known.values())
    return found if is_last and all(map(_are_whole, found.values())) else None


def _are_whole(files: Mapping[Location, Record]) -> bool:
    return all(state_of(file).size == about["bytes"] for file, about in files.items())


def rows_of_former(files: Mapping[Location, Record]) -> int:
    """Return the number of rows in such files."""
    return sum(about["rows"] for about in files.values())

"""Clear away the former result when a new one counts, but for the files of versions that a reader may still ask for."""

from __future__ import annotations

from collections.abc import Set
from typing import Any

from pipeline.delta.retention import drop_former_files
from pipeline.files.file_system import delete, exists, file_system
from pipeline.files.location import Location
from pipeline.results.parquet_counts import ENDING
from pipeline.results.run_names import is_left
from pipeline.results.table_folders import LOG, PREFIX, WORK, folder_of_run, is_of_files, run_of, table_folders
from pipeline.results.table_logs import FOLDER, VERSION, named_files, named_tables

Record = dict[str, Any]


def clear_former(place: Location, former: Record | None, new: Record) -> None:
    """Remove tables that the new result has not, old versions of the others, and what killed runs left."""
    tables = named_tables(place, new)
    if former is not None and not _has_versions(former):
        _clear_without_logs(place, former, tables)
    for folder in [*table_folders(place)]:
        if folder in tables:
            drop_former_files(folder)
        elif exists(folder / LOG):
            _clear_table(folder, is_whole=folder != place)
    _clear_left(place, {run for name in named_files(new) for run in map(run_of, name.split("/")) if run})


def _has_versions(record: Record) -> bool:
    return any(VERSION in about for about in record.get("tables", {}).values())


def _clear_without_logs(place: Location, former: Record, tables: Set[Location]) -> None:
    """Remove the files of a result whose tables had no logs."""
    if FOLDER in former:
        delete(place / str(former[FOLDER]))
    for folder in [*table_folders(place)]:
        if folder == place or folder in tables:
            _clear_files(folder)
        elif folder.name != WORK and not any(table.parent == folder for table in tables):
            delete(folder)


def _clear_files(folder: Location) -> None:
    """Remove the files of a table, and the folders of its partitions."""
    for place, state in list(file_system(folder).listed(folder)):
        if ("=" in place.name and run_of(place.name) is None) if state.is_folder else place.suffix == ENDING:
            delete(place)


def _clear_table(folder: Location, *, is_whole: bool) -> None:
    if is_whole:
        delete(folder)
        return
    for place, state in list(file_system(folder).listed(folder)):
        if state.is_folder and is_of_files(place.name):
            delete(place)


def _clear_left(place: Location, named: set[str]) -> None:
    """Remove what runs left that were killed long ago; one that began lately may still be at work."""
    work = place / WORK
    if not exists(work):
        return
    for run, _ in list(file_system(work).listed(work)):
        if is_left(run.name, PREFIX) and run.name not in named:
            for folder in [*table_folders(place)]:
                delete(folder_of_run(folder, run.name))

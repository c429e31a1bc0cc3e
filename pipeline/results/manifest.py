"""The manifest of a result: its tables and files, so that a loader can check that none is missing."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from typing import Any

from pipeline.files.file_system import file_system, state_of
from pipeline.files.location import Location, relative_name
from pipeline.files.parquet import parquet_metadata
from pipeline.results.parquet_counts import parquet_files_in

FORMAT = "brokerui.gold/1"
ROWS_TABLE = "rows"
SUMMARY_FOLDER = "_summary"
"""Folder of the tables beside the rows of a result. Spark skips it when the result is read as one table."""


def table_manifest(folder: Location) -> dict[str, Any]:
    """Return the tables of a result by name, with their files and row counts; files directly in it are `rows`."""
    tables: dict[str, Any] = {}
    for name, path in _files(folder):
        table = tables.setdefault(name, {"rows": 0, "files": []})
        rows = parquet_metadata(path).num_rows
        about = {"path": relative_name(path, folder), "rows": rows, "bytes": state_of(path).size}
        # `rows` grows with the traffic and is never loaded into the database: a digest would read it once more.
        table["files"].append(about if name == ROWS_TABLE else {**about, "sha256": _digest(path)})
        table["rows"] += rows
    return tables


def _files(folder: Location) -> Iterator[tuple[str, Location]]:
    for root in (folder, folder / SUMMARY_FOLDER):
        for path in parquet_files_in(root):
            table, slash, _ = relative_name(path, root).partition("/")
            yield table if slash else ROWS_TABLE, path


def _digest(path: Location) -> str:
    with file_system(path).opened(path) as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()

"""The manifest of a result: its tables and files, so that a loader can check that none is missing."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from pipeline.results.parquet_counts import parquet_files_in

FORMAT = "brokerui.gold/1"
ROWS_TABLE = "rows"
SUMMARY_FOLDER = "_summary"
"""Folder of the tables beside the rows of a result. Spark skips it when the result is read as one table."""


def table_manifest(folder: Path) -> dict[str, Any]:
    """Return the tables of a result by name, with their files and row counts; files directly in it are `rows`."""
    tables: dict[str, Any] = {}
    for name, path in _files(folder):
        table = tables.setdefault(name, {"rows": 0, "files": []})
        rows = pq.read_metadata(path).num_rows
        about = {"path": path.relative_to(folder).as_posix(), "rows": rows, "bytes": path.stat().st_size}
        # `rows` grows with the traffic and is never loaded into the database: a digest would read it once more.
        table["files"].append(about if name == ROWS_TABLE else {**about, "sha256": _digest(path)})
        table["rows"] += rows
    return tables


def _files(folder: Path) -> Iterator[tuple[str, Path]]:
    for root in (folder, folder / SUMMARY_FOLDER):
        for path in parquet_files_in(root):
            place = path.relative_to(root)
            yield place.parts[0] if len(place.parts) > 1 else ROWS_TABLE, path


def _digest(path: Path) -> str:
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()

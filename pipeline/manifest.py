"""What a result consists of, so that whoever loads it knows that it has all of it."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from pipeline.counting import files_in

FORMAT = "brokerui.gold/1"
ROWS = "rows"
SUMMARY = "_summary"
"""Where tables stand that are beside the rows of a result: whoever reads the folder as one table passes them over."""


def manifest(folder: Path) -> dict[str, Any]:
    """The tables of a result by name, each with its files and their rows; what lies in the folder itself is `rows`."""
    tables: dict[str, Any] = {}
    for name, path in _files(folder):
        table = tables.setdefault(name, {"rows": 0, "files": []})
        rows = pq.read_metadata(path).num_rows
        about = {"path": path.relative_to(folder).as_posix(), "rows": rows, "bytes": path.stat().st_size}
        # Rows are as many as there was traffic, and nobody loads them: reading them once more would take its time.
        table["files"].append(about if name == ROWS else {**about, "sha256": _digest(path)})
        table["rows"] += rows
    return tables


def _files(folder: Path) -> Iterator[tuple[str, Path]]:
    for root in (folder, folder / SUMMARY):
        for path in files_in(root):
            place = path.relative_to(root)
            yield place.parts[0] if len(place.parts) > 1 else ROWS, path


def _digest(path: Path) -> str:
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()

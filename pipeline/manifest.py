"""What a result consists of, so that whoever loads it knows that it has all of it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from pipeline.counting import files_in

ROWS = "rows"


def manifest(folder: Path) -> dict[str, Any]:
    """The tables of a result by name, each with its files and their rows; what lies in the folder itself is `rows`."""
    tables: dict[str, Any] = {}
    for path in files_in(folder):
        place = path.relative_to(folder)
        name = place.parts[0] if len(place.parts) > 1 else ROWS
        table = tables.setdefault(name, {"rows": 0, "files": []})
        rows = pq.read_metadata(path).num_rows
        table["rows"] += rows
        table["files"].append({"path": place.as_posix(), "rows": rows, "bytes": path.stat().st_size})
    return tables

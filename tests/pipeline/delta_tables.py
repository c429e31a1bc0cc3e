"""Results as any reader of Delta tables sees them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
from deltalake import DeltaTable

LOG = "_delta_log"
Json = dict[str, Any]


def table_of(folder: Path, version: int | None = None) -> pa.Table:
    """Return the rows of a version of a table, by default the last."""
    return DeltaTable(str(folder), version).to_pyarrow_table()


def rows_of(folder: Path, version: int | None = None) -> list[Json]:
    """Return the rows of a version of a table as objects."""
    found: list[Json] = table_of(folder, version).to_pylist()
    return found


def delta_tables(out: Path) -> dict[str, list[str]]:
    """Return the rows of each table of a result in one order, also of the quarantine."""
    folders = [log.parent for log in out.rglob(LOG)]
    return {folder.relative_to(out).as_posix(): sorted(map(repr, rows_of(folder))) for folder in folders}


def names_beside_tables(out: Path) -> set[str]:
    """Return all that stands in a result but logs, and the folders of runs, whose names are new each time."""
    names = (path.relative_to(out).as_posix() for path in out.rglob("*"))
    return {name for name in names if not any(word in name for word in (LOG, "result-", "_work"))}

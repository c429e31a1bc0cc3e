"""Write the quarantine rows of files that cannot be read."""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa

from pipeline.files.location import Location
from pipeline.files.parquet import write_table
from pipeline.schemas import QUARANTINE


def write_unreadable_files(unreadable: Sequence[tuple[str, str]], folder: Location) -> None:
    """Write one row for each unreadable file: its path and the reason."""
    if not unreadable:
        return
    rows = [{"file": file, "position": None, "reason": reason, "raw": None} for file, reason in unreadable]
    write_table(pa.Table.from_pylist(rows, schema=QUARANTINE), folder / "files.parquet")

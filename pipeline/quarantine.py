"""What fits nothing: with file, position and reason."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from pipeline.schemas import QUARANTINE


def write_faults(faults: Sequence[tuple[str, str]], folder: Path) -> None:
    """Files of which nothing can be read: each counts as one row."""
    if not faults:
        return
    rows = [{"file": file, "position": None, "reason": reason, "raw": None} for file, reason in faults]
    folder.mkdir(parents=True, exist_ok=True)
    pq.write_table(pa.Table.from_pylist(rows, schema=QUARANTINE), folder / "files.parquet")

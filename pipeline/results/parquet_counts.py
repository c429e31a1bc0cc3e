"""Count the rows that Parquet files really have, from their footers."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pyarrow.parquet as pq


def rows_in(folder: Path) -> int:
    """Return the number of rows in all Parquet files below a folder."""
    return sum(pq.read_metadata(path).num_rows for path in parquet_files_in(folder))


def reasons_in(folder: Path) -> Counter[str]:
    """Count the rows of a quarantine by reason."""
    counts: Counter[str] = Counter()
    for path in parquet_files_in(folder):
        for batch in pq.ParquetFile(path).iter_batches(columns=["reason"]):
            for one in batch.column(0).value_counts().to_pylist():
                counts[one["values"]] += one["counts"]
    return counts


def parquet_files_in(folder: Path) -> list[Path]:
    """Return the Parquet files below a folder, sorted; folders and files that begin with `_` or a dot are skipped."""
    found = sorted(folder.rglob("*.parquet"))
    return [path for path in found if not any(part[0] in "_." for part in path.relative_to(folder).parts)]

"""How many rows a folder of Parquet files has, from the files themselves: what was written, not what was meant."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pyarrow.parquet as pq


def rows_in(folder: Path) -> int:
    """All rows of the Parquet files below a folder."""
    return sum(pq.read_metadata(path).num_rows for path in files_in(folder))


def reasons_in(folder: Path) -> Counter[str]:
    """How often each reason stands in a quarantine."""
    counts: Counter[str] = Counter()
    for path in files_in(folder):
        for batch in pq.ParquetFile(path).iter_batches(columns=["reason"]):
            for one in batch.column(0).value_counts().to_pylist():
                counts[one["values"]] += one["counts"]
    return counts


def files_in(folder: Path) -> list[Path]:
    """The Parquet files below a folder, in order, without those in folders that begin with `_` or a dot."""
    found = sorted(folder.rglob("*.parquet"))
    return [path for path in found if not any(part[0] in "_." for part in path.relative_to(folder).parts)]

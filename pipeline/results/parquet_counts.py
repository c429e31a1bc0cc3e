"""Count the rows that Parquet files really have, from their footers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

import pyarrow.parquet as pq

from pipeline.files.file_system import exists, file_system
from pipeline.files.location import Location
from pipeline.files.parquet import parquet_metadata, parquet_source

ENDING = ".parquet"


def rows_in(folder: Location) -> int:
    """Return the number of rows in all Parquet files below a folder."""
    return rows_of(parquet_files_in(folder))


def rows_of(files: Iterable[Location]) -> int:
    """Return the number of rows in Parquet files."""
    return sum(parquet_metadata(file).num_rows for file in files)


def reasons_in(folder: Location) -> Counter[str]:
    """Count the rows of a quarantine by reason."""
    return reasons_of(parquet_files_in(folder))


def reasons_of(files: Iterable[Location]) -> Counter[str]:
    """Count the rows of the files of a quarantine by reason."""
    counts: Counter[str] = Counter()
    for file in files:
        with parquet_source(file) as source:
            for batch in pq.ParquetFile(source).iter_batches(columns=["reason"]):
                for one in batch.column(0).value_counts().to_pylist():
                    counts[one["values"]] += one["counts"]
    return counts


def parquet_files_in(folder: Location) -> list[Location]:
    """Return the Parquet files below a folder, sorted; folders and files that begin with `_` or a dot are skipped."""
    if isinstance(folder, Path):
        found = sorted(folder.rglob(f"*{ENDING}"))
        return [path for path in found if not any(part[0] in "_." for part in path.relative_to(folder).parts)]
    return sorted(_below(folder)) if exists(folder) else []


def _below(folder: Location) -> Iterator[Location]:
    for place, state in file_system(folder).listed(folder):
        if place.name[0] in "_.":
            continue
        if state.is_folder:
            yield from _below(place)
        elif place.suffix == ENDING:
            yield place

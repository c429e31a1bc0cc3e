"""Parquet files wherever they are, as Arrow reads them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

import pyarrow as pa
import pyarrow.parquet as pq

from pipeline.files.file_system import file_system
from pipeline.files.location import Location


@contextmanager
def parquet_source(file: Location) -> Iterator[Path | BinaryIO]:
    """Yield what Arrow reads a file by: its path, or an open file."""
    if isinstance(file, Path):
        yield file
        return
    with file_system(file).opened(file) as stream:
        yield stream


def parquet_metadata(file: Location) -> pq.FileMetaData:
    """Return what the footer of a file says."""
    with parquet_source(file) as source:
        return pq.read_metadata(source)


def write_table(table: pa.Table, file: Location) -> None:
    """Write a table as one new file, in a folder that need not be there."""
    with file_system(file).created(file) as stream:
        pq.write_table(table, stream)

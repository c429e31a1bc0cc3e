"""Open a file of text that may be packed with gzip or zstd."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

import pyarrow as pa

from pipeline.files.file_system import file_system
from pipeline.files.location import Location

GZIP: Final = (".gz",)
ZSTD: Final = (".zst", ".zstd")
PACKED: Final = (*GZIP, *ZSTD)
"""The endings of packed files."""
DAMAGES: Final = (OSError, EOFError, zlib.error, pa.ArrowException)
"""Errors of a file that cannot be read to its end, or is not packed as its ending says."""


@contextmanager
def opened(path: Location) -> Iterator[Any]:
    """Open a file for its bytes, unpacked by its ending."""
    ending = path.suffix.lower()
    with file_system(path).opened(path) as stream:
        if ending in GZIP:
            with gzip.open(stream) as unpacked:
                yield unpacked
        elif ending in ZSTD:
            with pa.input_stream(stream, compression="zstd") as unpacked:
                yield unpacked
        else:
            yield stream

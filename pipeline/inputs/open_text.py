"""Open a file of text that may be packed with gzip or zstd."""

from __future__ import annotations

import gzip
import zlib
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, Final

import pyarrow as pa

GZIP: Final = (".gz",)
ZSTD: Final = (".zst", ".zstd")
PACKED: Final = (*GZIP, *ZSTD)
"""The endings of packed files."""
DAMAGES: Final = (OSError, EOFError, zlib.error, pa.ArrowException)
"""Errors of a file that cannot be read to its end, or is not packed as its ending says."""


def opened(path: Path) -> AbstractContextManager[Any]:
    """Open a file for its bytes, unpacked by its ending."""
    ending = path.suffix.lower()
    if ending in GZIP:
        return gzip.open(path)
    return pa.input_stream(str(path), compression="zstd") if ending in ZSTD else path.open("rb")

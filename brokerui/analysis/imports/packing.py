"""Bytes and rows as tables keep them: packed with zlib, rows as a line of JSON each."""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterable, Iterator
from typing import Any

LEVEL = 1
"""A request packs what it was sent: quickly rather than small."""


def packed(content: bytes) -> bytes:
    return zlib.compress(content, LEVEL)


def unpacked(content: bytes | memoryview | None) -> bytes:
    """Decompress content; empty for None, as pruning leaves it."""
    return b"" if content is None else zlib.decompress(content)


def packed_rows(rows: Iterable[Any]) -> bytes:
    packing = zlib.compressobj(LEVEL)
    parts = [packing.compress(json.dumps(row).encode() + b"\n") for row in rows]
    return b"".join([*parts, packing.flush()])


def unpacked_rows(content: bytes | memoryview | None) -> Iterator[Any]:
    return (json.loads(line) for line in unpacked(content).splitlines())

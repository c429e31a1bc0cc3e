"""The files of an input folder: what each one is, and which cannot be read at all."""

from __future__ import annotations

import csv
import gzip
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from pipeline.schemas import COLUMNS
from routing.errors import InputError
from routing.sentence import say

PARQUET, CSV, JSON = "parquet", "csv", "json"
MAX_LINE = 1 << 20
"""Bytes of one line of text. A row of traffic has some hundreds."""
_MAGIC = b"PAR1"
_SUFFIXES = {".parquet": PARQUET, ".csv": CSV, ".tsv": CSV, ".json": JSON, ".jsonl": JSON, ".ndjson": JSON}
_DELIMITERS = (",", ";", "\t", "|")


@dataclass(frozen=True, slots=True)
class Layout:
    """What files have to agree in to be read together."""

    kind: str
    columns: tuple[tuple[str, str], ...] = ()
    """Parquet: the columns of the traffic table with their types. CSV: the names of all columns, no types."""
    delimiter: str = ","
    header: str = ""
    """CSV: the first line, which is no row wherever it is repeated."""


@dataclass(frozen=True, slots=True)
class File:
    """A file with its layout, or the reason why nothing in it can be read; neither where nothing is in it."""

    path: Path
    layout: Layout | None
    fault: str | None = None
    rows: int = 0
    """Of a Parquet file, as it says itself."""


def files_below(name: str) -> list[Path]:
    """The file of this name, or all files below the folder; none whose name or folder begins with `_` or a dot.

    Raises `InputError` where there is none.
    """
    root = Path(name)
    if not root.exists():
        raise InputError(name, "", say("is not there"))
    found = [root] if root.is_file() else sorted(_walk(root))
    if not found:
        raise InputError(name, "", say("holds no files"))
    return found


def _walk(folder: Path) -> Iterator[Path]:
    for path in folder.iterdir():
        if path.name.startswith(("_", ".")):
            continue
        if path.is_dir():
            yield from _walk(path)
        else:
            yield path


def identity(path: Path) -> dict[str, Any]:
    """What a file is known by."""
    state = path.stat()
    return {"path": str(path.absolute()), "size": state.st_size, "modified": state.st_mtime_ns}


def examined(paths: Sequence[Path]) -> list[File]:
    """What each file is, by its ending and by how it begins."""
    return [_examined(path) for path in paths]


def _examined(path: Path) -> File:
    try:
        return _of_kind(path, _kind(path))
    except UnicodeDecodeError:
        return File(path, None, "not_utf8")
    except (OSError, EOFError, pa.ArrowException):
        return File(path, None, "unreadable")
    except csv.Error:
        return File(path, None, "not_csv")


def _kind(path: Path) -> str:
    suffixes = [suffix.lower() for suffix in path.suffixes if suffix.lower() != ".gz"]
    kind = _SUFFIXES.get(suffixes[-1]) if suffixes else None
    if kind is not None:
        return kind
    begin = _begin(path, 64)
    if begin.startswith(_MAGIC):
        return PARQUET
    return JSON if begin.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{") else CSV


def _of_kind(path: Path, kind: str) -> File:
    if kind != PARQUET and not path.stat().st_size:
        return File(path, None)
    if kind == JSON:
        _begin(path, 1)
        return File(path, Layout(JSON))
    file = _parquet(path) if kind == PARQUET else File(path, _csv(path))
    ours = {name for name, _ in file.layout.columns} & set(COLUMNS) if file.layout else ()
    return file if ours else File(path, None, "no_traffic_columns")


def _parquet(path: Path) -> File:
    about = pq.read_metadata(path)
    schema = about.schema.to_arrow_schema()
    columns = tuple((field.name, str(field.type)) for field in schema if field.name in COLUMNS)
    return File(path, Layout(PARQUET, columns), rows=about.num_rows)


def _csv(path: Path) -> Layout:
    line = _begin(path, MAX_LINE).decode("utf-8-sig").lstrip("\r\n").splitlines()
    header = line[0] if line else ""
    delimiter = max(_DELIMITERS, key=header.count)
    names = [name.strip() for name in next(csv.reader([header], delimiter=delimiter, strict=True), [])]
    if len(set(names)) < len(names):
        raise csv.Error
    return Layout(CSV, tuple((name, "") for name in names), delimiter, header)


def _begin(path: Path, size: int) -> bytes:
    """How a file begins; of a packed one, what is in it. A character that is cut off at the end is left out."""
    with gzip.open(path) if path.suffix.lower() == ".gz" else path.open("rb") as stream:
        found: bytes = stream.read(size)
    return found.rpartition(b"\n")[0] or found if len(found) == size else found

"""The files of an input folder: what each one is, and which cannot be read at all."""

from __future__ import annotations

import csv
import gzip
import json
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from pipeline.columns import UNREAD, RepeatedColumnError, kinds_of
from pipeline.schemas import TRAFFIC_FILES, Expected
from pipeline.transforms.exports import view_of
from routing.common.errors import InputError
from routing.common.sentence import say

PARQUET, CSV, JSON, EVENTS = "parquet", "csv", "json", "events"
UTF_8, UTF_16 = "utf-8-sig", "utf-16"
_MARKS = (b"\xff\xfe", b"\xfe\xff")
"""How a text in UTF-16 begins, as Windows writes them."""
MAX_UTF_16 = 1 << 26
"""Bytes of such a file: it is read as a whole."""
MAX_LINE = 1 << 20
"""Bytes of one line of text. A row of traffic has some hundreds."""
SENT_COLUMNS = (
    *("event_class", "event_subclass", "conversation_id", "at", "instance", "database", "from_service", "to_service"),
    *("to_broker_instance", "from_initiator", "message_sequence_number", "messages", "bytes"),
)
SENT = [("event_class", "==", 124), ("event_subclass", "in", [1, 2, 3])]
"""Which rows of an event log are traffic: a message was sent."""
_MAGIC = b"PAR1"
_SUFFIXES = {".parquet": PARQUET, ".csv": CSV, ".tsv": CSV, ".json": JSON, ".jsonl": JSON, ".ndjson": JSON}
_DELIMITERS = (",", ";", "\t", "|")


@dataclass(frozen=True, slots=True)
class Layout:
    """What files have to agree in to be read together."""

    kind: str
    columns: tuple[tuple[str, str], ...] = ()
    """Parquet: the columns that are looked for, with their kinds (columns.py). CSV: all columns, without kinds."""
    delimiter: str = ","
    header: str = ""
    """CSV: the first line, which is no row wherever it is repeated."""
    encoding: str = UTF_8
    view: str = ""
    """Of the product, whose export this is; empty: none."""


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


def examined(paths: Sequence[Path], expected: Expected = TRAFFIC_FILES) -> list[File]:
    """What each file is, by its ending and by how it begins."""
    return [_examined(path, expected) for path in paths]


def _examined(path: Path, expected: Expected) -> File:
    try:
        return _of_kind(path, _kind(path), expected)
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
    return JSON if begin.replace(b"\0", b"").lstrip(b"\xff\xfe\xef\xbb\xbf \t\r\n").startswith(b"{") else CSV


def _of_kind(path: Path, kind: str, expected: Expected) -> File:
    if kind != PARQUET and not path.stat().st_size:
        return File(path, None)
    encoding = _encoding(path) if kind != PARQUET else UTF_8
    if kind == JSON:
        view = view_of(_keys(path, encoding)) if expected is TRAFFIC_FILES else ""
        return File(path, Layout(JSON, encoding=encoding, view=view))
    file = _parquet(path, expected) if kind == PARQUET else File(path, _csv(path, encoding, expected))
    if file.layout is None or file.layout.view:
        return file
    ours = {name for name, _ in file.layout.columns} & set(expected.columns)
    return file if ours else File(path, None, expected.fault)


def _parquet(path: Path, expected: Expected) -> File:
    about = pq.read_metadata(path)
    try:
        kinds = kinds_of(about.schema, {*expected.columns, *SENT_COLUMNS})
    except RepeatedColumnError:
        return File(path, None, "repeated_column")
    if expected is TRAFFIC_FILES and set(SENT_COLUMNS) <= kinds.keys():
        return _events(path, kinds)
    columns = tuple((name, kind) for name, kind in kinds.items() if name in expected.columns)
    return File(path, Layout(PARQUET, columns), rows=about.num_rows)


def _events(path: Path, kinds: Mapping[str, str]) -> File:
    """A file of an event log: its rows of traffic are the messages that were sent."""
    columns = tuple((name, kinds[name]) for name in SENT_COLUMNS)
    if kinds["from_initiator"] != "boolean" or any(kind == UNREAD for _, kind in columns):
        return File(path, None, "unreadable")
    rows = pq.read_table(path, columns=["event_class"], filters=SENT).num_rows
    return File(path, Layout(EVENTS, columns), rows=rows)


def _encoding(path: Path) -> str:
    """Raises `UnicodeDecodeError` where a text is not what its first two bytes say."""
    if _begin(path, 2) not in _MARKS:
        return UTF_8
    if path.stat().st_size > MAX_UTF_16 or path.suffix.lower() == ".gz":
        raise EOFError
    path.read_text(UTF_16)
    return UTF_16


def _keys(path: Path, encoding: str) -> Set[str]:
    """Of the first object of a file of JSON lines; none where that is no object."""
    lines = _begin(path, MAX_LINE, encoding).decode(encoding, "replace").strip().splitlines()
    try:
        first = json.loads(lines[0]) if lines else None
    except (ValueError, RecursionError):
        return frozenset()
    return first.keys() if isinstance(first, dict) else frozenset()


def _csv(path: Path, encoding: str, expected: Expected) -> Layout:
    # UTF-16 was read to its end before; here a pair of it may be cut in two.
    faults = "ignore" if encoding == UTF_16 else "strict"
    line = _begin(path, MAX_LINE, encoding).decode(encoding, faults).lstrip("\r\n").splitlines()
    header = line[0] if line else ""
    delimiter = max(_DELIMITERS, key=header.count)
    names = [name.strip() for name in next(csv.reader([header], delimiter=delimiter, strict=True), [])]
    if len(set(names)) < len(names):
        raise csv.Error
    view = view_of(set(names)) if expected is TRAFFIC_FILES else ""
    return Layout(CSV, tuple((name, "") for name in names), delimiter, header, encoding, view)


def _begin(path: Path, size: int, encoding: str = UTF_8) -> bytes:
    """How a file begins; of a packed one, what is in it. A character that is cut off at the end is left out."""
    with gzip.open(path) if path.suffix.lower() == ".gz" else path.open("rb") as stream:
        found: bytes = stream.read(size)
    is_cut = len(found) == size and encoding == UTF_8
    return found.rpartition(b"\n")[0] or found if is_cut else found

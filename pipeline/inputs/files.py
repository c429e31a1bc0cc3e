"""Examine the files of an input: the layout of each, or why it cannot be read."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from typing import Any

import pyarrow.parquet as pq

from pipeline.files.file_system import file_system, read_bytes, state_of, unreadable
from pipeline.files.location import Location, absolute_name, location, one_name
from pipeline.files.parquet import parquet_metadata, parquet_source
from pipeline.inputs.open_text import DAMAGES, PACKED, ZSTD, opened
from pipeline.inputs.parquet_columns import UNSUPPORTED, RepeatedColumnError, column_kinds
from pipeline.inputs.row_texts import has_rows_of_several_lines, is_json_document, rows_of_json
from pipeline.inputs.text_tables import RepeatedHeadingError, check_headings, text_table
from pipeline.results.table_logs import published_folder, published_rows
from pipeline.schemas import TRAFFIC_FILES, ExpectedColumns
from pipeline.transforms.server_events import SERVER_EVENTS
from pipeline.transforms.view_exports import VIEWS, CatalogView, view_of
from routing.common.errors import InputError
from routing.common.sentence import say

PARQUET, CSV, JSON, EVENTS = "parquet", "csv", "json", "events"
UTF_8, UTF_16 = "utf-8-sig", "utf-16"
_UTF_8_MARK = b"\xef\xbb\xbf"
_ARRAY = re.compile(rb"\[\s*\{")
_UTF_16_MARKS = (b"\xff\xfe", b"\xfe\xff")
"""Byte order marks of UTF-16, as Windows writes it."""
MAX_UTF_16_BYTES = 1 << 26
"""Largest UTF-16 file: it is read into memory as a whole."""
MAX_DOCUMENT_BYTES = 1 << 28
"""Largest file of JSON that is no lines: it is read into memory as a whole."""
MAX_LINE_BYTES = 1 << 20
"""Longest line of text. A row of traffic has some hundred bytes."""
SENT_COLUMNS = (
    *("event_class", "event_subclass", "conversation_id", "at", "instance", "database", "from_service", "to_service"),
    *("to_broker_instance", "from_initiator", "message_sequence_number", "messages", "bytes"),
)
SENT_FILTER = [("event_class", "==", 124), ("event_subclass", "in", [1, 2, 3])]
"""The rows of an event log that are traffic: a message was sent."""
_MAGIC = b"PAR1"
_MILLISECOND = 1_000_000
"""Nanoseconds."""
_SUFFIXES = {".parquet": PARQUET, ".csv": CSV, ".tsv": CSV, ".json": JSON, ".jsonl": JSON, ".ndjson": JSON}


@dataclass(frozen=True, slots=True)
class FileLayout:
    """The format of a file. Files with equal layouts are read together."""

    kind: str
    columns: tuple[tuple[str, str], ...] = ()
    """Parquet: the expected columns with their kinds (parquet_columns.py). CSV: all columns, without kinds."""
    delimiter: str = ","
    header: str = ""
    """CSV: the first line; a line equal to it is never a row."""
    encoding: str = UTF_8
    view: str = ""
    """The catalog view that the file exports; empty: none."""
    spans: tuple[tuple[int, int], ...] = ()
    """CSV of a fixed width: begin and length of each column."""
    is_printed: bool = False
    """CSV as sqlcmd prints it."""
    folders: tuple[str, ...] = ()
    """Columns that the folders of the file give, as in `from_instance=shop/`."""
    is_document: bool = False
    """JSON that is an array, or whose objects stand over several lines."""
    is_prepared: bool = False
    """Spark reads a copy whose lines are rows (preparing.py)."""


@dataclass(frozen=True, slots=True)
class InputFile:
    """A file with its layout, or the reason why it cannot be read; neither if it is empty."""

    path: Location
    layout: FileLayout | None
    fault: str | None = None
    rows: int = 0
    """Rows of a Parquet file, from its footer."""
    prepared: Location | None = None
    """The copy that Spark reads in its place."""


def files_below(name: str) -> list[Location]:
    """Return the file of this name, or all files below the folder; names that begin with `_` or a dot are skipped.

    Raises `InputError` if there is none.
    """
    root = location(name)
    try:
        state = file_system(root).state(root)
        if state is None:
            raise InputError(name, "", say("is not there"))
        found = _files_in(root) if state.is_folder else [root]
    except OSError as error:
        raise unreadable(name, error) from None
    if not found:
        raise InputError(name, "", say("holds no files"))
    return found


def _files_in(folder: Location) -> list[Location]:
    """Return the files below a folder; of a result those of its rows, as its record names them."""
    found = published_rows(folder)
    return sorted(_walk(published_folder(folder)) if found is None else found, key=_parts)


def _parts(place: Location) -> tuple[str, ...]:
    return place.parts


def _walk(folder: Location) -> Iterator[Location]:
    for path, state in file_system(folder).listed(folder):
        if path.name.startswith(("_", ".")):
            continue
        if state.is_folder:
            yield from _walk(path)
        else:
            yield path


def file_identity(path: Location) -> dict[str, Any]:
    """Return path, size and modification time, by which `ingest` recognises a file."""
    state = state_of(path)
    return {"path": absolute_name(path), "size": state.size, "modified": state.modified}


def identity_key(identity: Mapping[str, Any]) -> tuple[str, int, int]:
    """Return the identity of a file as it is by its path and by its URL, whose moments are whole milliseconds."""
    return one_name(identity["path"]), identity["size"], identity["modified"] // _MILLISECOND


def examine_files(
    paths: Sequence[Location], expected: ExpectedColumns = TRAFFIC_FILES, encoding: str = ""
) -> list[InputFile]:
    """Examine each file by its name and its first bytes; `encoding` is that of texts without a byte order mark."""
    return [_examine_file(path, expected, encoding or UTF_8) for path in paths]


def _examine_file(path: Location, expected: ExpectedColumns, encoding: str) -> InputFile:
    try:
        return _of_kind(path, _kind(path), expected, encoding)
    except DAMAGES:
        return InputFile(path, None, "unreadable")
    except RepeatedHeadingError:
        return InputFile(path, None, "repeated_column")
    except csv.Error:
        return InputFile(path, None, "not_csv")


def _kind(path: Location) -> str:
    suffixes = [suffix.lower() for suffix in path.suffixes if suffix.lower() not in PACKED]
    kind = _SUFFIXES.get(suffixes[-1]) if suffixes else None
    if kind is not None:
        return kind
    begin = _begin(path, 64)
    if begin.startswith(_MAGIC):
        return PARQUET
    text = begin.replace(b"\0", b"").lstrip(b"\xff\xfe\xef\xbb\xbf \t\r\n")
    return JSON if text.startswith(b"{") or _ARRAY.match(text) else CSV


def _of_kind(path: Location, kind: str, expected: ExpectedColumns, given: str) -> InputFile:
    if kind != PARQUET and not state_of(path).size:
        return InputFile(path, None)
    encoding = _encoding(path, given) if kind != PARQUET else UTF_8
    if kind == JSON:
        return InputFile(path, _json(path, encoding, expected))
    file = _parquet(path, expected) if kind == PARQUET else InputFile(path, _csv(path, encoding, expected))
    if file.layout is None or file.layout.view:
        return file
    layout = replace(file.layout, folders=_folders(path, expected, file.layout))
    ours = {name for name, _ in layout.columns} & set(expected.columns)
    return replace(file, layout=layout) if ours else InputFile(path, None, expected.fault)


def _folders(path: Location, expected: ExpectedColumns, layout: FileLayout) -> tuple[str, ...]:
    """Return the expected columns that folders have in their names, `from_instance=shop`, and the file has not."""
    own = {name for name, _ in layout.columns}
    given = (part.partition("=") for part in path.parent.parts)
    return tuple(sorted({name for name, equals, _ in given if equals and name in expected.columns} - own))


def _parquet(path: Location, expected: ExpectedColumns) -> InputFile:
    about = parquet_metadata(path)
    try:
        kinds = column_kinds(about.schema, {*expected.columns, *SENT_COLUMNS})
    except RepeatedColumnError:
        return InputFile(path, None, "repeated_column")
    if expected is TRAFFIC_FILES and set(SENT_COLUMNS) <= kinds.keys():
        return _events(path, kinds)
    columns = tuple((name, kind) for name, kind in kinds.items() if name in expected.columns)
    return InputFile(path, FileLayout(PARQUET, columns), rows=about.num_rows)


def _events(path: Location, kinds: Mapping[str, str]) -> InputFile:
    """Examine a file of an event log, whose traffic are the messages that were sent."""
    columns = tuple((name, kinds[name]) for name in SENT_COLUMNS)
    if kinds["from_initiator"] != "boolean" or any(kind == UNSUPPORTED for _, kind in columns):
        return InputFile(path, None, "unreadable")
    with parquet_source(path) as source:
        rows = pq.read_table(source, columns=["event_class"], filters=SENT_FILTER).num_rows
    return InputFile(path, FileLayout(EVENTS, columns), rows=rows)


def _json(path: Location, encoding: str, expected: ExpectedColumns) -> FileLayout:
    begin = _begin(path, MAX_LINE_BYTES, encoding).decode(encoding, "replace")
    is_document = is_json_document(begin)
    if is_document and state_of(path).size > MAX_DOCUMENT_BYTES:
        raise EOFError
    view = view_of(_keys(begin, is_document=is_document), _views(expected))
    layout = FileLayout(JSON, encoding=encoding, view=view, is_document=is_document)
    is_prepared = is_document or _is_foreign(path, encoding)
    return replace(layout, folders=() if view else _folders(path, expected, layout), is_prepared=is_prepared)


def _views(expected: ExpectedColumns) -> Mapping[str, CatalogView]:
    """Return the shapes of others that a file of traffic, or of events, may have."""
    return VIEWS if expected is TRAFFIC_FILES else SERVER_EVENTS


def _is_foreign(path: Location, encoding: str) -> bool:
    """Say whether Spark cannot read the bytes of a text."""
    if encoding == UTF_16:
        return not _is_utf_16(path)
    return path.suffix.lower() in ZSTD or encoding != UTF_8


def _is_utf_16(path: Location) -> bool:
    try:
        read_bytes(path).decode(UTF_16)
    except UnicodeDecodeError:
        return False
    return True


def _encoding(path: Location, given: str) -> str:
    """Return the encoding by the byte order mark. Raises `EOFError` for UTF-16 that is packed or too large."""
    begin = _begin(path, 3)
    if begin[:2] not in _UTF_16_MARKS:
        return UTF_8 if begin == _UTF_8_MARK else given
    if state_of(path).size > MAX_UTF_16_BYTES or path.suffix.lower() in PACKED:
        raise EOFError
    return UTF_16


def _keys(begin: str, *, is_document: bool) -> Set[str]:
    """Return the keys of the first object of a text; none if it is no object."""
    text = begin.strip()
    rows = (one for _, one in rows_of_json(text)) if is_document else iter(text.splitlines())
    try:
        first = json.loads(next(rows, "null"))
    except (ValueError, RecursionError):
        return frozenset()
    return first.keys() if isinstance(first, dict) else frozenset()


def _csv(path: Location, encoding: str, expected: ExpectedColumns) -> FileLayout:
    # In UTF-16 the cut may split a surrogate pair. A bad byte below is that of its row.
    faults = "ignore" if encoding == UTF_16 else "replace"
    lines = _begin(path, MAX_LINE_BYTES, encoding).decode(encoding, faults).lstrip("\r\n").splitlines()
    table = text_table(lines)
    views = _views(expected)
    view = view_of(set(table.names), views)
    check_headings(table.names, views[view].columns if view else expected.columns)
    return FileLayout(
        CSV,
        tuple((name, "") for name in table.names),
        table.delimiter,
        table.header,
        encoding,
        view,
        table.spans,
        table.is_printed,
        is_prepared=_is_foreign(path, encoding)
        or (not table.spans and encoding != UTF_16 and has_rows_of_several_lines(path)),
    )


def _begin(path: Location, size: int, encoding: str = UTF_8) -> bytes:
    """Return the first bytes of a file, decompressed if it is gzip; in UTF-8 without an incomplete last line."""
    with opened(path) as stream:
        found: bytes = stream.read(size)
    is_cut = len(found) == size and encoding != UTF_16
    return found.rpartition(b"\n")[0] or found if is_cut else found

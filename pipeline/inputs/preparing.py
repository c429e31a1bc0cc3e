"""Copies of texts that Spark cannot divide into rows by itself: UTF-8, each row a line, after the number of its line.

They are made for packed files, other encodings, values over several lines and JSON documents, and read in their place.
"""

from __future__ import annotations

import codecs
import io
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Final

from pipeline.files.file_system import file_system
from pipeline.files.location import Location, relative_name
from pipeline.inputs.files import CSV, UTF_16, InputFile
from pipeline.inputs.open_text import DAMAGES, opened
from pipeline.inputs.row_texts import NumberedText, rows_of_csv, rows_of_json

FOLDER: Final = "_rows_of_texts"
LINE_FEED, CARRIAGE_RETURN = "\x1e", "\x1d"
"""The characters in place of the ends of lines within a row."""
_KEEP: Final = "surrogateescape"
"""A byte that is none of its encoding stays in its row, which is rejected for it."""
_MARK: Final = "brokerui.mark"
_NO_BYTE_OF_UTF_8: Final = "\udcff"


def _marked(error: UnicodeError) -> tuple[str | bytes, int]:
    """Put a byte that is none in place of damage in UTF-16, whose own bytes can be those of letters."""
    if not isinstance(error, UnicodeDecodeError):
        raise error
    return _NO_BYTE_OF_UTF_8, error.end


codecs.register_error(_MARK, _marked)


def prepared_files(files: Sequence[InputFile], root: Location, work: Location) -> list[InputFile]:
    """Write a copy of each file that needs one, below `work`; a file that cannot be read to its end is a fault."""
    return [_prepared(file, root, work / FOLDER) for file in files]


def _prepared(file: InputFile, root: Location, folder: Location) -> InputFile:
    if file.layout is None or not file.layout.is_prepared:
        return file
    # Its own ending may be one that Spark unpacks by.
    copy = folder / f"{relative_name(file.path, root)}.rows"
    files = file_system(copy)
    try:
        with files.created(copy) as out:
            out.writelines(_lines(file))
    except (*DAMAGES, UnicodeError):
        files.delete(copy)
        return replace(file, layout=None, fault="unreadable")
    return replace(file, prepared=copy)


def _lines(file: InputFile) -> Iterator[bytes]:
    yield b"1\t\n"  # a blank line, by whose number the others are counted
    for number, text in _rows(file):
        kept = text.replace("\n", LINE_FEED).replace("\r", CARRIAGE_RETURN)
        yield f"{number}\t{kept}\n".encode("utf-8", _KEEP)


def _rows(file: InputFile) -> Iterator[NumberedText]:
    layout = file.layout
    assert layout is not None
    damage = _MARK if layout.encoding == UTF_16 else _KEEP
    with opened(file.path) as stream, io.TextIOWrapper(stream, layout.encoding, damage, newline="") as text:
        if layout.is_document:
            yield from rows_of_json(text.read())
        elif layout.kind == CSV and not layout.spans:
            yield from rows_of_csv(text, layout.delimiter)
        else:
            yield from _each(text)


def _each(lines: Iterable[str]) -> Iterator[NumberedText]:
    for number, line in enumerate(lines, 1):
        yield number, line.rstrip("\r\n")

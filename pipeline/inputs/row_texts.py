"""Divide texts whose rows are more than a line: CSV with quoted values over several lines, and JSON documents."""

from __future__ import annotations

import json
import re
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from typing import Final

import numpy as np

from pipeline.files.location import Location
from pipeline.inputs.open_text import opened

NumberedText = tuple[int, str]
"""The number of the first line of a row, from 1, and its text."""
MAX_LINES: Final = 1_000
MAX_CHARACTERS: Final = 1 << 20
"""The largest row of CSV: a quote that is never closed must not swallow the rest of the file."""
_BLOCK: Final = 1 << 20
_BETWEEN: Final = re.compile(r"[\s,\[\]]*")
_LINE: Final = re.compile(r"[^\r\n]*")
_END: Final = re.compile(r"\r\n|\r|\n")
_DECODER: Final = json.JSONDecoder()


def has_rows_of_several_lines(path: Location) -> bool:
    """Say whether a line of a CSV file ends within quotes."""
    parity = 0
    with opened(path) as stream:
        while block := stream.read(_BLOCK):
            if not parity and b'"' not in block:
                continue
            octets = np.frombuffer(block, dtype=np.uint8)
            quotes, ends = (np.flatnonzero(octets == ord(character)) for character in ('"', "\n"))
            if np.any((np.searchsorted(quotes, ends) + parity) & 1):
                return True
            parity = (parity + len(quotes)) & 1
    return False


def is_json_document(begin: str) -> bool:
    """Say whether a text begins with an array of objects, or with an object over several lines."""
    text = begin.lstrip()
    if text.startswith("["):
        return True
    try:
        json.loads(text.partition("\n")[0])
    except (ValueError, RecursionError):
        return text.startswith("{")
    return False


def rows_of_csv(lines: Iterable[str], delimiter: str) -> Iterator[NumberedText]:
    """Put the lines of each row together. A quote that is not closed in time is none: its line is a row by itself."""
    is_open = _ends_within_quotes(delimiter)
    left, source, numbers = deque[str](), iter(lines), 0
    while (first := _next(left, source)) is not None:
        numbers += 1
        row = [first]
        while is_open("".join(row)) and len(row) < MAX_LINES and sum(map(len, row)) < MAX_CHARACTERS:
            more = _until_quote(left, source)
            if not more:
                break
            row += more
        if len(row) > 1 and is_open("".join(row)):
            left.extendleft(reversed(row[1:]))
            row = [first]
        yield numbers, "".join(row).rstrip("\r\n")
        numbers += len(row) - 1


def _until_quote(left: deque[str], source: Iterator[str]) -> list[str]:
    """Take lines up to one with an odd number of quotes, which may close the value; empty at the end of the text."""
    found: list[str] = []
    while (line := _next(left, source)) is not None:
        found.append(line)
        if line.count('"') % 2 or len(found) >= MAX_LINES:
            break
    return found


def _next(left: deque[str], source: Iterator[str]) -> str | None:
    return left.popleft() if left else next(source, None)


def _ends_within_quotes(delimiter: str) -> Callable[[str], bool]:
    """Return a test of a row of CSV."""
    d = re.escape(delimiter)
    field = rf'(?:"(?:[^"]|"")*+"[^{d}]*+|[^{d}"][^{d}]*+|)'
    pattern = re.compile(rf'(?>{field}{d})*+"(?:[^"]|"")*+\Z', re.DOTALL)
    return lambda text: '"' in text and pattern.match(text) is not None


def rows_of_json(text: str) -> Iterator[NumberedText]:
    """Divide a document into its objects; a part that is none is a row up to the end of its line."""
    at, line = 0, 1
    while True:
        between = _BETWEEN.match(text, at)
        start = between.end() if between else at
        line += len(_END.findall(text, at, start))
        if start >= len(text):
            return
        end = _end_of_object(text, start)
        yield line, text[start:end]
        line += len(_END.findall(text, start, end))
        at = end


def _end_of_object(text: str, start: int) -> int:
    if text[start] == "{":
        try:
            return _DECODER.raw_decode(text, start)[1]
        except (ValueError, RecursionError):
            pass
    found = _LINE.match(text, start)
    return max(start + 1, found.end() if found else start)

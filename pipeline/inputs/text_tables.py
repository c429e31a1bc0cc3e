"""The first lines of a table in a text file: its heading, and how its columns are told apart.

A table is separated by a delimiter, or of a fixed width as sqlcmd prints it, with a line of dashes below the heading.
"""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Final

DELIMITERS: Final = (",", ";", "\t", "|")
_DASHES: Final = re.compile(r"-+(?:[ ,;\t|]-+)*\s*")


class RepeatedHeadingError(ValueError):
    """Two columns have one name, and it is one that is looked for."""


@dataclass(frozen=True, slots=True)
class TextTable:
    """How a line of a table is divided."""

    header: str
    """The first line as it stands."""
    names: tuple[str, ...]
    delimiter: str = ","
    spans: tuple[tuple[int, int], ...] = ()
    """Of a table of fixed width: where each column begins, from 1, and how many characters it has."""
    is_printed: bool = False
    """sqlcmd printed it: dashes below the heading, blanks behind values, how many rows there were at the end."""


def text_table(lines: Sequence[str]) -> TextTable:
    """Look at the first lines of a file. Raises `csv.Error` if the first one is no heading."""
    header, below = (*lines, "", "")[:2]
    is_printed = _DASHES.fullmatch(below) is not None and len(below.strip()) > 1
    delimiter = max(DELIMITERS, key=below.count if is_printed else header.count)
    if is_printed and delimiter not in below:
        return _of_fixed_width(header, below)
    names = [name.strip() for name in next(csv.reader([header], delimiter=delimiter, strict=True), [])]
    return TextTable(header, tuple(names), delimiter, is_printed=is_printed)


def _of_fixed_width(header: str, dashes: str) -> TextTable:
    spans = tuple((found.start() + 1, len(found[0])) for found in re.finditer("-+", dashes))
    names = tuple(header[begin - 1 : begin - 1 + length].strip() for begin, length in spans)
    return TextTable(header, names, spans=spans, is_printed=True)


def check_headings(names: Sequence[str], expected: Collection[str]) -> None:
    """Raise `RepeatedHeadingError` if a name that is looked for stands twice; any other one may."""
    if any(count > 1 and name in expected for name, count in Counter(names).items()):
        raise RepeatedHeadingError

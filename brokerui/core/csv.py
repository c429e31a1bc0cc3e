"""Comma-separated values, line by line, for spreadsheets: that is what our CSV files are opened with.

A spreadsheet computes a cell that begins like a formula, and the name of a route or service may begin like one.
Such a cell gets an apostrophe before it, as does one that begins with an apostrophe: without the first one, each is
exactly what it was. Programs take the JSON of the REST interface, where nothing is added.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator
from typing import Any

MARK = "'"
MARKED = frozenset("=+-@\t\r\n\uff1d\uff0b\uff0d\uff20" + MARK)
"""Characters that begin no cell unmarked; spreadsheets take the wide ones of Chinese and Japanese keyboards too."""


class _Line:
    """A file for `csv.writer`: each `writerow` gives its line back."""

    def write(self, text: str) -> str:
        return text


def csv_lines(rows: Iterable[Iterable[Any]]) -> Iterator[str]:
    """Each row as a line; the first one is usually that of the columns."""
    writer = csv.writer(_Line())
    for row in rows:
        yield writer.writerow([_safe(value) for value in row])


def _safe(value: Any) -> Any:
    return f"{MARK}{value}" if isinstance(value, str) and value[:1] in MARKED else value

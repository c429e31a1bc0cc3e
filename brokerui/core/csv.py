"""Comma-separated values, line by line, for spreadsheets: that is what our CSV files are opened with.

A spreadsheet computes a cell that begins like a formula, and the name of a route or service may begin like one.
Such a cell gets an apostrophe before it, as does one that begins with an apostrophe: without the first one, each is
exactly what it was. Programs take the JSON of the REST interface, where nothing is added.

A moment is ISO 8601 in the zone of the reader with its offset, and the head of its column names the zone: `at (UTC)`.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator
from datetime import datetime, tzinfo
from typing import Any

from django.utils import timezone

from brokerui.core.moments import zone_name

MARK = "'"
MARKED = frozenset("=+-@\t\r\n\uff1d\uff0b\uff0d\uff20" + MARK)
"""Characters that begin no cell unmarked; spreadsheets take the wide ones of Chinese and Japanese keyboards too."""


class MomentColumn(str):
    """The head of a column of moments: a file names the zone behind it."""

    __slots__ = ()


class _Line:
    """A file for `csv.writer`: each `writerow` gives its line back."""

    def write(self, text: str) -> str:
        return text


def csv_lines(rows: Iterable[Iterable[Any]]) -> Iterator[str]:
    """Each row as a line; the first one is usually that of the columns."""
    return _lines(rows, timezone.get_current_timezone(), zone_name())


def _lines(rows: Iterable[Iterable[Any]], zone: tzinfo, name: str) -> Iterator[str]:
    """Write rows in the zone in which the file was asked for: a streamed one is written when no zone is current."""
    writer = csv.writer(_Line())
    for row in rows:
        yield writer.writerow([_safe(value, zone, name) for value in row])


def _safe(value: Any, zone: tzinfo, name: str) -> Any:
    if isinstance(value, datetime):
        return value.astimezone(zone).isoformat()
    if isinstance(value, MomentColumn):
        return f"{value} ({name})"
    return f"{MARK}{value}" if isinstance(value, str) and value[:1] in MARKED else value

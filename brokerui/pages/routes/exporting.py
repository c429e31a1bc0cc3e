"""The rows as CSV."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Final

from brokerui.core.csv import MomentColumn, csv_lines
from brokerui.pages.routes.rows import COLUMNS, RouteRow
from brokerui.pages.shell.columns import ShownTable

LIFETIME: Final = "lifetime"


def as_csv(rows: Iterable[RouteRow], table: ShownTable[RouteRow]) -> Iterator[str]:
    """Line by line, the chosen columns as the product has them; a NULL is empty."""
    head = [MomentColumn(name) if name == LIFETIME else name for name in COLUMNS]
    columns, shown = table.of_file(head, map(_cells, rows))
    return csv_lines(chain([columns], shown))


def _cells(row: RouteRow) -> list[object]:
    values: list[object] = list(row.values())
    values[COLUMNS.index(LIFETIME)] = row.route.lifetime
    return values

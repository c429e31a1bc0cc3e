"""The rows as CSV."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain

from brokerui.core.csv import csv_lines
from brokerui.pages.routes.rows import COLUMNS, RouteRow


def as_csv(rows: Iterable[RouteRow]) -> Iterator[str]:
    """Line by line, the columns as the product has them; a NULL is empty."""
    return csv_lines(chain([COLUMNS], (row.values() for row in rows)))

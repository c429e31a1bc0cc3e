"""The rows as CSV."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator

from brokerui.core.csv import Line
from brokerui.routes.rows import COLUMNS, Row


def as_csv(rows: Iterable[Row]) -> Iterator[str]:
    """Line by line, the columns as the product has them; a NULL is empty."""
    writer = csv.writer(Line())
    yield writer.writerow(COLUMNS)
    yield from (writer.writerow(row.values()) for row in rows)

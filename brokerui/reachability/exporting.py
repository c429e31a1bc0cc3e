"""The same as files: the table as it is shown, and every pair of it."""

from __future__ import annotations

import csv
from collections.abc import Iterator

from brokerui.core.csv import Line
from brokerui.reachability.asked import VERDICTS
from brokerui.reachability.page import Page

MOST_PAIRS = 1_000_000
"""Lines that one may ask for."""


def table_as_csv(page: Page) -> Iterator[str]:
    """A line for each field, with how many pairs of which verdict it has."""
    writer, table = csv.writer(Line()), page.shown
    yield writer.writerow(("origin_from", "origin_to", "service_from", "service_to", *VERDICTS))
    for (row, column), counts in sorted(table.fields.items()):
        origin, service = table.rows[row], table.columns[column]
        numbers = [counts[verdict] for verdict in VERDICTS]
        yield writer.writerow((origin.first, origin.last, service.first, service.last, *numbers))


def pairs_as_csv(page: Page) -> Iterator[str]:
    """A line for each pair; an origin without a database is what arrives from outside."""
    writer, matrix, wanted = csv.writer(Line()), page.known.matrix, page.asked.verdict
    yield writer.writerow(("instance", "database", "service", "verdict"))
    rows = [node for group in page.shown.rows for node in group.members]
    columns = [name for group in page.shown.columns for name in group.members]
    for name in columns:
        named = set(matrix.named[name]) if page.named else None
        for node in rows:
            if named is not None and node not in named:
                continue
            verdict = matrix.verdict(node, name)
            if not wanted or verdict == wanted:
                instance, database = matrix.nodes[node]
                yield writer.writerow((instance, database or "", matrix.names[name], verdict))

"""The same as files: the table as it is shown, and every pair of it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from brokerui.core.csv import csv_lines
from brokerui.drawing.charts.look import UNNAMED
from brokerui.pages.reachability.counting import NOT_DELIVERED
from brokerui.pages.reachability.page import ReachabilityPage
from brokerui.pages.reachability.query import SHOWN

MOST_PAIRS = 1_000_000
"""Lines that one may ask for."""


def table_as_csv(page: ReachabilityPage) -> Iterator[str]:
    """A line for each field, with its number of pairs by verdict."""
    return csv_lines(_fields(page))


def _fields(page: ReachabilityPage) -> Iterator[tuple[Any, ...]]:
    yield "origin_from", "origin_to", "service_from", "service_to", *SHOWN
    table = page.shown
    for (row, column), counts in sorted(table.fields.items()):
        origin, service = table.rows[row], table.columns[column]
        numbers = [counts[verdict] for verdict in SHOWN]
        yield origin.first, origin.last, service.first, service.last, *numbers


def pairs_as_csv(page: ReachabilityPage) -> Iterator[str]:
    """A line for each pair; an origin without a database is what arrives from outside."""
    return csv_lines(_pairs(page))


def _pairs(page: ReachabilityPage) -> Iterator[tuple[str, ...]]:
    yield "instance", "database", "service", "verdict", "named"
    matrix, wanted = page.known.matrix, page.page_query.verdict
    rows = [node for group in page.shown.rows for node in group.members]
    columns = [name for group in page.shown.columns for name in group.members]
    for name in columns:
        named = set(matrix.named[name])
        for node in rows:
            if page.named and node not in named:
                continue
            verdict = matrix.verdict(node, name)
            is_apart = node not in named and verdict in NOT_DELIVERED
            if not wanted or wanted == (UNNAMED if is_apart else verdict):
                instance, database = matrix.nodes[node]
                yield instance, database or "", matrix.names[name], verdict, "yes" if node in named else "no"

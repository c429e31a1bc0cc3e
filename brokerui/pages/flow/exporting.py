"""Every way as a line of a file: nothing is folded there."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

from brokerui.core.csv import csv_lines
from brokerui.pages.flow.page import FlowPage

COLUMNS = ("instance", "database", "service", "next_instance", "outcome", "end_instance", "end")


def ways_as_csv(page: FlowPage) -> Iterator[str]:
    """A line for each way; without a database it is what arrives from outside, without a next instance it stays."""
    return csv_lines(chain([COLUMNS], _rows(page)))


def _rows(page: FlowPage) -> Iterator[tuple[str, ...]]:
    matrix = page.matrix
    for node, name, (via, end) in page.ways:
        instance, database = matrix.nodes[node]
        yield instance, database or "", matrix.names[name], via or "", *end

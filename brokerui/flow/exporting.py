"""Every way as a line of a file: nothing is folded there."""

from __future__ import annotations

import csv
from collections.abc import Iterator

from brokerui.core.csv import Line
from brokerui.flow.page import Page

COLUMNS = ("instance", "database", "service", "next_instance", "outcome", "end_instance", "end")


def ways_as_csv(page: Page) -> Iterator[str]:
    """A line for each way; without a database it is what arrives from outside, without a next instance it stays."""
    writer, matrix = csv.writer(Line()), page.matrix
    yield writer.writerow(COLUMNS)
    for node, name, (via, end) in page.ways:
        instance, database = matrix.nodes[node]
        yield writer.writerow((instance, database or "", matrix.names[name], via or "", *end))

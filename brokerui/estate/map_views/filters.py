"""The filter of a page as a view keeps it: the fields of its query, without what belongs to no filter."""

from __future__ import annotations

from typing import Final
from urllib.parse import parse_qsl, urlencode

Query = dict[str, str | list[str]]
LEFT_OUT: Final = frozenset({"after", "page", "select", "view", "scenario", "as_of", "draft"})
"""A place in a list, a selection, and the estate that is shown: a view is of a page, not of one estate."""


def query_of(text: str) -> Query:
    """Return the filter in a query string."""
    found: dict[str, list[str]] = {}
    for name, value in parse_qsl(text):
        if name not in LEFT_OUT:
            found.setdefault(name, []).append(value)
    return {name: values[0] if len(values) == 1 else values for name, values in found.items()}


def query_text(query: Query) -> str:
    """Return the query string of a filter."""
    return urlencode(query, doseq=True)

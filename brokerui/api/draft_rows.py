"""Rows of a list that a draft adds, alters and drops: by their ids, on the first page of the list."""

from __future__ import annotations

from collections.abc import Container
from typing import Any

from brokerui.api.ids import Key, id_of
from brokerui.api.listing import RowListing, keeps_of
from brokerui.api.rows import Where
from brokerui.changes.estate_view import EstateView, base_view_of
from brokerui.changes.marks import ADDED, ALTERED, marks_of
from routing.model.estate import Estate

DROPPED = "dropped"
Rows = dict[Key, dict[str, Any]]


def changed_rows(listing: RowListing, viewed: EstateView, query: Where) -> dict[str, list[str]] | None:
    """Compare the rows of a list with those of the version that the draft was made on; None where it is no draft."""
    base, marks = base_view_of(viewed), marks_of(viewed)
    if base is None or marks is None or "cursor" in query:
        return None
    before, after = (_rows(listing, view.estate, query, marks.touched) for view in (base, viewed))
    return {
        ADDED: [id_of(key) for key in after if key not in before],
        ALTERED: [id_of(key) for key, row in after.items() if key in before and before[key] != row],
        DROPPED: [id_of(key) for key in before if key not in after],
    }


def _rows(listing: RowListing, estate: Estate, query: Where, touched: Container[str]) -> Rows:
    rows = listing.rows(estate, query, keeps_of(listing, query))
    return {row.key: listing.as_json(row) for row in rows if row.key[0] in touched}

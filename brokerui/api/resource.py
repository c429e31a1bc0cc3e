"""A kind of row that can be listed, read and edited, such as routes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from brokerui.api.ids import Key
from brokerui.api.listing import RowListing
from brokerui.api.rows import EstateRow
from routing.model.estate import Edit, Estate


@dataclass(frozen=True, slots=True, kw_only=True)
class Resource:
    """A kind of row. The modules `instances`, `databases`, `services`, `queues` and `routes` have one each."""

    listing: RowListing
    singular: str
    serializer: type[Any]
    """Describes and reads a row, with its owners."""
    make: Callable[..., Any]
    """Return the engine's value of the columns that the serializer read; raises `Invalid`."""
    find: Callable[[Estate, Key], Any]
    """Return the value of the row with this key; None where there is none."""
    put: Callable[[Estate, Key, Any], Edit]
    """Return the edit that adds a value, or replaces the one with this key."""
    drop: Callable[[Estate, Key], Edit]
    example: Mapping[str, Any]
    """A body of a request."""

    def as_json(self, key: Key, value: Any) -> dict[str, Any]:
        return self.listing.as_json(EstateRow(key, value))

"""The values that the address of a list has."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import ClassVar, Self
from urllib.parse import urlencode

TABLE_KEYS = ("sort", "columns")
"""Parameters of the table, which links of the page keep."""


@dataclass(frozen=True, slots=True)
class ListQuery:
    """Base of the queries of lists: empty values restrict nothing, and other fields say where a page begins."""

    FILTERS: ClassVar[tuple[str, ...]] = ()
    """Names of the fields that restrict the rows."""

    @classmethod
    def of(cls, query: Mapping[str, str]) -> Self:
        return cls(**{field.name: query.get(field.name, "").strip() for field in fields(cls)})

    @property
    def is_filtered(self) -> bool:
        return any(getattr(self, name) for name in self.FILTERS)

    def query(self, **other: str) -> str:
        """Return the address of the same rows, with other values beside the filters."""
        names = (*self.FILTERS, *(field.name for field in fields(self) if field.name in TABLE_KEYS))
        own = {name: getattr(self, name) for name in names} | other
        return urlencode({name: value for name, value in own.items() if value})

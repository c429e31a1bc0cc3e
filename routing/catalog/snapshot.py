"""The content of one input about one instance. For absent parts an estate keeps its previous state."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from routing.catalog.availability import Replica
from routing.catalog.shapes import Row

Rows = tuple[Row, ...]


@dataclass(frozen=True, slots=True)
class NotRead:
    """A part of a database that the instance did not give, or gave incompletely."""

    database: str | None
    part: str | None
    """None: the whole database."""
    reason: str
    """The instance's error message; empty if rows were cut off."""
    number: int | None = None
    """SQL Server's error number, or the number of rows that were cut off."""


@dataclass(frozen=True, slots=True)
class CatalogSnapshot:
    """The rows of the catalog views, as far as an input contains them."""

    where: str
    """The file."""
    collected_at: datetime | None = None
    server: Row = field(default_factory=dict)
    databases: Rows | None = None
    complete: bool = False
    """True if `databases` lists all databases of the instance."""
    endpoints: Rows | None = None
    replicas: Mapping[str, Replica] = field(default_factory=dict)
    """By database: the replicas of availability groups."""
    parts: Mapping[str, Mapping[str, Rows]] = field(default_factory=dict)
    """By database, then by part."""
    not_read: tuple[NotRead, ...] = ()
    cut: tuple[NotRead, ...] = ()
    unknown: tuple[str, ...] = ()
    """JSON paths of keys that this version does not know."""

"""What one input tells of one instance. What it does not tell is not there: an estate keeps what it knew of that."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from routing.catalog.availability import Replica
from routing.catalog.shapes import Row

Rows = tuple[Row, ...]


@dataclass(frozen=True, slots=True)
class NotRead:
    """A part of a database that the instance did not give, or gave without its end."""

    database: str | None
    part: str | None
    """None: the whole database."""
    reason: str
    """The instance's own words; empty where rows were cut off."""
    number: int | None = None
    """The number of the instance's error, or of the rows that were cut off."""


@dataclass(frozen=True, slots=True)
class CatalogSnapshot:
    """The rows of views, as far as an input has them."""

    where: str
    """The file."""
    collected_at: datetime | None = None
    server: Row = field(default_factory=dict)
    databases: Rows | None = None
    complete: bool = False
    """Whether these are all databases of the instance."""
    endpoints: Rows | None = None
    replicas: Mapping[str, Replica] = field(default_factory=dict)
    """By database: those of availability groups."""
    parts: Mapping[str, Mapping[str, Rows]] = field(default_factory=dict)
    """By database, then by part."""
    not_read: tuple[NotRead, ...] = ()
    cut: tuple[NotRead, ...] = ()
    unknown: tuple[str, ...] = ()
    """Keys of a document that this version knows nothing of, as JSON paths."""

"""The two forms of pages: by number, of rows in memory; by key, of rows that a query reads after the last one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

T = TypeVar("T")
K = TypeVar("K")
PAGE_ROWS = 100
"""Rows of one page."""
DIGITS = 6


@dataclass(frozen=True, slots=True)
class Page(Generic[T]):
    """One page of rows; the last page where the requested one does not exist."""

    rows: Sequence[T]
    """The rows of all pages."""
    asked: int = 1

    @property
    def pages(self) -> int:
        return max(1, -(-len(self.rows) // PAGE_ROWS))

    @property
    def number(self) -> int:
        return min(max(self.asked, 1), self.pages)

    @property
    def before(self) -> str:
        """Number of the previous page, as an address holds it; empty on the first page."""
        return str(self.number - 1) if self.number > 1 else ""

    @property
    def after(self) -> str:
        return str(self.number + 1) if self.number < self.pages else ""

    @property
    def first(self) -> int:
        """Number of the first row of the page, from 1."""
        return (self.number - 1) * PAGE_ROWS + 1

    @property
    def last(self) -> int:
        return min(self.number * PAGE_ROWS, len(self.rows))

    @property
    def total(self) -> int:
        return len(self.rows)

    @property
    def shown(self) -> Sequence[T]:
        return self.rows[self.first - 1 : self.last]


@dataclass(frozen=True, slots=True)
class KeysetPage(Generic[T, K]):
    """One page of a query that begins after a key: it costs the same however many rows are before it."""

    rows: tuple[T, ...]
    after: K | None
    """The key after which the next page begins; None on the last page."""


def page_number(text: str) -> int:
    """Read the page number of an address; 1 where it is missing or invalid."""
    return int(text) if text.isdecimal() and text.isascii() and len(text) <= DIGITS else 1

"""The two forms of pages: by number, with Django's paginator; by key, of rows that a query reads after the last one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar, cast

from django.core.paginator import Paginator

T = TypeVar("T")
K = TypeVar("K")
PAGE_ROWS = 100
"""Rows of one page."""
DIGITS = 6


@dataclass(frozen=True, slots=True)
class Page(Generic[T]):
    """One page of rows; the last page where the requested one does not exist."""

    paginator: Paginator[T]
    requested: int = 1

    @classmethod
    def of(cls, rows: Sequence[T], requested: int = 1) -> Page[T]:
        """Return a page of rows in memory."""
        return cls(Paginator(rows, PAGE_ROWS), requested)

    @property
    def pages(self) -> int:
        return self.paginator.num_pages

    @property
    def number(self) -> int:
        return min(max(self.requested, 1), self.pages)

    @property
    def before(self) -> str:
        """Number of the previous page, as an address holds it; empty on the first page."""
        return str(self.number - 1) if self.number > 1 else ""

    @property
    def after(self) -> str:
        return str(self.number + 1) if self.number < self.pages else ""

    @property
    def first(self) -> int:
        """Number of the first row of the page, from 1; 0 where there is none."""
        return self.paginator.page(self.number).start_index()

    @property
    def last(self) -> int:
        return self.paginator.page(self.number).end_index()

    @property
    def total(self) -> int:
        return self.paginator.count

    @property
    def rows(self) -> Sequence[T]:
        """The rows of all pages."""
        return cast("Sequence[T]", self.paginator.object_list)

    @property
    def shown(self) -> Sequence[T]:
        return cast("Sequence[T]", self.paginator.page(self.number).object_list)


@dataclass(frozen=True, slots=True)
class KeysetPage(Generic[T, K]):
    """One page of a query that begins after a key: it costs the same however many rows are before it."""

    rows: tuple[T, ...]
    after: K | None
    """The key after which the next page begins; None on the last page."""


def page_number(text: str) -> int:
    """Read the page number of an address; 1 where it is missing or invalid."""
    return int(text) if text.isdecimal() and text.isascii() and len(text) <= DIGITS else 1


def page_after(rows: Sequence[T], after: str, name_of: Callable[[T], str], limit: int) -> tuple[Sequence[T], str]:
    """Return the rows of a sorted list after the one that `after` names, and `after` of the next page (empty: none).

    Where that row is gone by now, the page begins at its place.
    """
    place, _space, name = after.partition(" ")
    is_place = place.isdecimal() and place.isascii() and len(place) <= DIGITS and name
    begin = next((n for n, row in enumerate(rows, 1) if name_of(row) == name), int(place)) if is_place else 0
    shown = rows[begin : begin + limit]
    end = begin + len(shown)
    return shown, f"{end} {name_of(shown[-1])}" if shown and end < len(rows) else ""

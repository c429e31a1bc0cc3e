"""A page of rows that a filter lets through: queries of the pages beside it, and the wrong part of the filter."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Generic, TypeVar

from brokerui.core.filters import FilterError
from brokerui.core.paging import Page

T = TypeVar("T")


class FilteredPage(ABC, Generic[T]):
    """Base of the lists of pages. A subclass reads its address, and keeps the error of its filter."""

    error: FilterError | None

    @property
    @abstractmethod
    def filter_text(self) -> str:
        """The filter as the address has it."""

    @property
    @abstractmethod
    def page(self) -> Page[T]:
        """The page of the rows."""

    @abstractmethod
    def query(self, **other: str) -> str:
        """The query of this page with other values of some parameters."""

    @property
    def wrong_part(self) -> str:
        """The characters of the filter that are wrong; empty where it is valid."""
        return self.filter_text[self.error.start : self.error.end] if self.error else ""

    @property
    def before(self) -> str:
        """The query of the previous page; empty on the first one."""
        return self.query(page=self.page.before) if self.page.before else ""

    @property
    def after(self) -> str:
        """The query of the next page; empty on the last one."""
        return self.query(page=self.page.after) if self.page.after else ""

    @property
    def everything(self) -> str:
        """The query without a filter."""
        return self.query(q="", page="")

    @property
    def exported(self) -> str:
        """The query of the same rows, all of them."""
        return self.query(page="")

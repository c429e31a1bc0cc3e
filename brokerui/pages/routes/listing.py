"""Contents of the page: the rows that a filter lets through, in an order, a page of them; the keys of the filter."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from itertools import islice
from typing import Final
from urllib.parse import parse_qsl, urlencode

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from brokerui.analysis.lint.selectors import LintReport
from brokerui.changes.marks import ADDED, ALTERED, DraftMarks
from brokerui.core.filters import FilterError
from brokerui.core.paging import PAGE_ROWS, Page, page_number
from brokerui.estate.refs import ROUTE, route
from brokerui.pages.routes.filtering import RouteFilter, route_filter
from brokerui.pages.routes.rows import COLUMNS, SORTED, RouteList, RouteRow
from brokerui.pages.shell.columns import Column, ShownTable, Table
from brokerui.pages.shell.filtered_page import FilteredPage
from routing.lint.lifetimes import SOON

EXPIRING = f"expires:<{SOON.days}d"


@dataclass(frozen=True, slots=True)
class RoutesQuery:
    """The address of the page, read."""

    text: str = ""
    order: str = ""
    page: int = 1
    select: str = ""
    columns: str = ""

    @classmethod
    def of(cls, query: Mapping[str, str]) -> RoutesQuery:
        """Read an address."""
        return cls(
            query.get("q", "").strip(),
            query.get("sort", "").strip(),
            page_number(query.get("page", "")),
            query.get("select", ""),
            query.get("columns", ""),
        )

    def query(self, viewed: Mapping[str, str], **other: str) -> str:
        """The address that asks for this, or for something else of it."""
        parameters = {"q": self.text, "sort": self.order, "columns": self.columns}
        parameters |= {"page": str(self.page) if self.page > 1 else "", **other}
        return urlencode({**viewed, **{name: value for name, value in parameters.items() if value}})


def _column(name: str) -> Column[RouteRow]:
    return Column(name, name, SORTED[name], is_head=name == COLUMNS[0], files=(name,))


TABLE: Final[Table[RouteRow]] = Table(
    _column(COLUMNS[0]), Column("findings", _("Findings")), *map(_column, COLUMNS[1:])
)


@dataclass(frozen=True, slots=True)
class Quick:
    """A filter that is often wanted, with how many rows it lets through."""

    label: Promise
    text: str
    count: int
    query: str
    is_on: bool


@dataclass
class RouteListing(FilteredPage[RouteRow]):
    """The table, for one address of the page."""

    viewed: Mapping[str, str]
    page_query: RoutesQuery
    routes: RouteList
    report: LintReport
    at: datetime
    marks: DraftMarks | None = None
    """The changes of the draft that the page shows; None: it shows none."""
    error: FilterError | None = None
    _filter: RouteFilter | None = field(init=False, default=None)

    def __post_init__(self) -> None:
        try:
            self._filter = route_filter(self.page_query.text)
        except FilterError as error:
            self.error = error

    @property
    def filter_text(self) -> str:
        return self.page_query.text

    @property
    def is_waiting(self) -> bool:
        """The filter asks for findings, and the estate is being looked over."""
        return self._filter is not None and self._filter.asks_for_findings and not self.report.is_there

    @cached_property
    def rows(self) -> list[RouteRow]:
        """All that fit, in their order."""
        if self._filter is None or self.is_waiting:
            return []
        changed = self.marks.changed if self.marks else {}
        rows = self.routes.sorted_by(self.table.sort)
        return self._filter.kept(rows, self.at, self.report.of_routes, changed)

    def change_of(self, row: RouteRow) -> str:
        """`added` or `altered` by the draft; empty: neither."""
        return self.marks.changed.get(route(*row.key), "") if self.marks else ""

    @cached_property
    def dropped(self) -> list[RouteRow]:
        """The routes that the draft drops, up to a page of them."""
        found = self.marks.dropped_routes() if self.marks else ()
        return [RouteRow(*one, is_wildcard=False) for one in islice(found, PAGE_ROWS)]

    @cached_property
    def page(self) -> Page[RouteRow]:
        return Page.of(self.rows, self.page_query.page)

    def selecting(self, select: str) -> str:
        """The address with a row chosen; empty: none."""
        return self.query(select=select)

    @cached_property
    def table(self) -> ShownTable[RouteRow]:
        """Its heads and columns."""
        return TABLE.read(dict(parse_qsl(self.query(page="", select=""))))

    @property
    def expired(self) -> int:
        return self.routes.expired(self.at)

    @property
    def quick(self) -> list[Quick]:
        expiring = self.routes.expiring(self.at, self.at + SOON)
        offers = [
            (_("Expired"), "is:expired", self.expired),
            (_("Expiring within 7 days"), EXPIRING, expiring),
            (_("With findings"), "has:finding", len(self.report.of_routes)),
            (_("Wildcards"), "is:wildcard", self.routes.wildcards),
        ]
        if self.marks is not None:
            routes = Counter(word for ref, word in self.marks.changed.items() if ref.kind == ROUTE)
            offers += [(_("Added"), "is:added", routes[ADDED]), (_("Altered"), "is:altered", routes[ALTERED])]
        return [self._quick(label, text, count) for label, text, count in offers]

    def _quick(self, label: Promise, text: str, count: int) -> Quick:
        is_on = self.page_query.text == text
        return Quick(label, text, count, self.query(q="" if is_on else text, page=""), is_on)

    def query(self, **other: str) -> str:
        return self.page_query.query(self.viewed, **other)

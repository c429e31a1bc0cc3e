"""Lists of rows: filtered, ordered, a page at a time. The next page begins after a key, so that edits shift nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from heapq import nlargest, nsmallest
from typing import Any, Final

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from rest_framework.request import Request
from rest_framework.response import Response

from brokerui.api.cursors import key_of_cursor, next_address
from brokerui.api.etags import etag_of, is_known
from brokerui.api.fields import NameField, StrictChoiceField
from brokerui.api.ids import id_of, packed
from brokerui.api.printed_places import with_printed_place
from brokerui.api.problems import in_query
from brokerui.api.queries import EstateQuery, PageQuery
from brokerui.api.rows import EstateRow, Keeps, Where
from brokerui.api.serializers import QuerySerializer, read_query
from brokerui.changes.estate_view import EstateView, estate_view_from
from routing.common.names import SYSNAME_CHARS
from routing.model.estate import Estate

NATURAL: Final = "key"
"""The order by natural key, which the others have where their values are equal."""
SortKey = tuple[bool, str, *tuple[str, ...]]
"""The position of a row in an order: whether it has a value, the value, the natural key."""


def instance_filter() -> NameField:
    """Return the parameter that keeps the rows of an instance."""
    return NameField(help_text=gettext_lazy("Of this instance."))


def database_filter() -> NameField:
    """Return the parameter that keeps the rows of the databases of a name."""
    return NameField(
        max_length=SYSNAME_CHARS,
        help_text=gettext_lazy(
            "Rows of the database of this name, or of one as answers print it: HOST/DB, DB on HOST."
        ),
    )


OWNER_FILTERS: Final = {"instance": instance_filter, "database": database_filter}


@dataclass(frozen=True, slots=True)
class RowFilter:
    """A query parameter that keeps some rows."""

    name: str
    field: Any
    """Describes and reads the parameter."""
    keeps: Callable[[Any, Any], bool]
    """Return whether a row's value stays, given the parameter's value."""


def same(name: str, field: Any, value_of: Callable[[Any], Any]) -> RowFilter:
    """Return the filter that keeps the rows with this value."""
    return RowFilter(name, field, lambda value, wanted: value_of(value) == wanted)


@dataclass(frozen=True, kw_only=True)
class RowListing:
    """A kind of row that can be listed."""

    name: str
    """In the plural, as addresses have it."""
    title: str | Promise
    keys: tuple[str, ...]
    """The names of the parts of the natural key, outermost first."""
    rows: Callable[[Estate, Where, Keeps], Iterator[EstateRow]]
    """Return the rows in the order of their keys."""
    as_json: Callable[[EstateRow], dict[str, Any]]
    filters: tuple[RowFilter, ...] = ()
    orders: Mapping[str, Callable[[Any], str | None]] = field(default_factory=dict)
    """By column: the text of a row's value that is compared."""

    @property
    def orderings(self) -> list[str]:
        names = [NATURAL, *self.orders]
        return names + [f"-{name}" for name in names]

    @cached_property
    def query(self) -> type[QuerySerializer]:
        """Return the serializer of the parameters of its list."""
        help_text = gettext_lazy("The order; with a minus sign, from its end.")
        members = {
            **{key: OWNER_FILTERS[key]() for key in self.keys if key in OWNER_FILTERS},
            **{one.name: one.field for one in self.filters},
            "ordering": StrictChoiceField(self.orderings, default=NATURAL, help_text=help_text),
        }
        return type(f"{self.name.title()}Query", (PageQuery, EstateQuery), members)


Changed = Callable[[RowListing, EstateView, Where], dict[str, list[str]] | None]


def row_as_json(keys: tuple[str, ...], row: EstateRow, value: dict[str, Any]) -> dict[str, Any]:
    """Return a row with its id and its owners."""
    return {"id": id_of(row.key), **dict(zip(keys[:-1], row.key, strict=False)), **value}


def list_rows(request: Request, listing: RowListing, changed: Changed | None = None) -> Response:
    """Return the page of rows that a request asks for; 304 where the client has it already. `changed` compares the
    rows of a draft with those of its base."""
    query = read_query(request, listing.query)
    viewed = estate_view_from(request.query_params.dict())
    etag = etag_of(viewed.key, request.get_full_path())
    if is_known(request, etag):
        return Response(status=304, headers={"ETag": etag})
    query = with_printed_place(query, viewed.estate)
    rows = listing.rows(viewed.estate, query, keeps_of(listing, query))
    count, page, cursor = _page(rows, listing, query)
    body: dict[str, Any] = {
        "count": count,
        "next": next_address(request, cursor) if cursor else None,
        "results": [listing.as_json(row) for row in page],
    }
    marks = changed(listing, viewed, query) if changed is not None else None
    if marks is not None:
        body["changed"] = marks
    return Response(body, headers={"ETag": etag})


def keeps_of(listing: RowListing, query: Where) -> Keeps:
    """Return whether all filters of a query keep a value."""
    tests = [(one.keeps, query[one.name]) for one in listing.filters if one.name in query]
    return lambda value: all(keeps(value, wanted) for keeps, wanted in tests)


def _page(rows: Iterator[EstateRow], listing: RowListing, query: Where) -> tuple[int, list[EstateRow], str | None]:
    """Return the number of rows, those of the page that is asked for, and the cursor of the page after it.

    Only the page is kept: a hundred thousand small objects at once would have Python look over the whole estate for
    garbage.
    """
    ordering, limit = query["ordering"], query["limit"]
    is_backwards, sort_key = ordering.startswith("-"), _sort_key(listing, ordering.removeprefix("-"))
    after = _after(query["cursor"], ordering, listing) if "cursor" in query else None
    count = 0

    def beyond() -> Iterator[EstateRow]:
        nonlocal count
        for row in rows:
            count += 1
            if after is None or (sort_key(row) < after if is_backwards else sort_key(row) > after):
                yield row

    page = (nlargest if is_backwards else nsmallest)(limit + 1, beyond(), key=sort_key)
    cursor = packed([ordering, *sort_key(page[limit - 1])]) if len(page) > limit else None
    return count, page[:limit], cursor


def _sort_key(listing: RowListing, order: str) -> Callable[[EstateRow], SortKey]:
    if order == NATURAL:
        return lambda row: (True, "", *row.key)
    text_of = listing.orders[order]

    def sort_key(row: EstateRow) -> SortKey:
        found = text_of(row.value)
        return (found is not None, found or "", *row.key)

    return sort_key


def _after(cursor: str, ordering: str, listing: RowListing) -> SortKey:
    """Return the position that a cursor holds, in the order that is asked for."""
    key = key_of_cursor(cursor, (str, bool, str, *[str] * len(listing.keys)))
    if key is None or key[0] != ordering:
        raise in_query("cursor", _("is none that a page of this order gave"))
    return key[1:]

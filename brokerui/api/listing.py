"""Lists of rows: filtered, ordered, a page at a time. The next page begins after a key, so that edits shift nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from heapq import nlargest, nsmallest
from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from rest_framework.request import Request
from rest_framework.response import Response

from brokerui.api.ids import id_of, packed, unpacked
from brokerui.api.parameters import LIMIT, PAGE, VIEWED, Parameter, choice, given, text
from brokerui.api.problems import in_query
from brokerui.api.rows import Keeps, Row, Where
from brokerui.api.tags import is_known, tag_of
from brokerui.estate.viewed import viewed_from
from routing.common.names import SYSNAME_CHARS
from routing.model.estate import Estate

INSTANCE = text("instance", gettext_lazy("Of this instance."))
DATABASE = text("database", gettext_lazy("Of the database of this name."), SYSNAME_CHARS)
OWNERS = {"instance": INSTANCE, "database": DATABASE}
NATURAL = "key"
"""The order by natural key, which the others have where their values are equal."""
Place = tuple[bool, str, *tuple[str, ...]]
"""Where a row stands in an order: without a value or with one, the value, the natural key."""


@dataclass(frozen=True, slots=True)
class Filter:
    """A parameter that keeps some rows."""

    parameter: Parameter
    keeps: Callable[[Any, Any], bool]
    """Whether a row's value stays, given the parameter's."""


@dataclass(frozen=True, slots=True)
class Listing:
    """What can be listed."""

    name: str
    """In the plural, as addresses have it."""
    title: str | Promise
    keys: tuple[str, ...]
    """The names of the parts of the natural key, outermost first."""
    rows: Callable[[Estate, Where, Keeps], Iterator[Row]]
    """In the order of their keys."""
    as_json: Callable[[Row], dict[str, Any]]
    filters: tuple[Filter, ...] = ()
    orders: Mapping[str, Callable[[Any], str | None]] = field(default_factory=dict)
    """By column: the text of a row's value that is compared."""

    @property
    def owners(self) -> tuple[Parameter, ...]:
        """Filters that say where to look."""
        return tuple(OWNERS[key] for key in self.keys[:-1])

    @property
    def orderings(self) -> list[str]:
        names = [NATURAL, *self.orders]
        return names + [f"-{name}" for name in names]

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        filters = (one.parameter for one in self.filters)
        order = choice("ordering", gettext_lazy("The order; with a minus sign, from its end."), self.orderings)
        return (*self.owners, *filters, order, *PAGE, *VIEWED)


def row_as_json(keys: tuple[str, ...], row: Row, value: dict[str, Any]) -> dict[str, Any]:
    """A row with its id and its owners."""
    return {"id": id_of(row.key), **dict(zip(keys[:-1], row.key, strict=False)), **value}


def listed(request: Request, listing: Listing) -> Response:
    """A page of the rows that the request asks for; 304 for who has it already."""
    asked = given(request, listing.parameters)
    viewed = viewed_from(request.query_params.dict())
    tag = tag_of(viewed.key, request.get_full_path())
    if is_known(request, tag):
        return Response(status=304, headers={"ETag": tag})
    rows = listing.rows(viewed.estate, asked, _keeps(listing, asked))
    count, page, cursor = _page(rows, listing, asked)
    body = {
        "count": count,
        "next": next_address(request, cursor) if cursor else None,
        "results": [listing.as_json(row) for row in page],
    }
    return Response(body, headers={"ETag": tag})


def _keeps(listing: Listing, asked: Where) -> Keeps:
    """Whether a value stays, after all filters that are asked for."""
    tests = [(one.keeps, asked[one.parameter.name]) for one in listing.filters if one.parameter.name in asked]
    return lambda value: all(keeps(value, wanted) for keeps, wanted in tests)


def _page(rows: Iterator[Row], listing: Listing, asked: Where) -> tuple[int, list[Row], str | None]:
    """How many rows there are, those of the page that is asked for, and the cursor of the one after it.

    Only the page is kept: a hundred thousand small objects at once would have Python look over the whole estate for
    garbage.
    """
    ordering, limit = asked.get("ordering", NATURAL), asked.get("limit", LIMIT)
    is_backwards, place = ordering.startswith("-"), _place_in(listing, ordering.removeprefix("-"))
    after = _after(asked["cursor"], ordering, listing) if "cursor" in asked else None
    count = 0

    def beyond() -> Iterator[Row]:
        nonlocal count
        for row in rows:
            count += 1
            if after is None or (place(row) < after if is_backwards else place(row) > after):
                yield row

    page = (nlargest if is_backwards else nsmallest)(limit + 1, beyond(), key=place)
    cursor = packed([ordering, *place(page[limit - 1])]) if len(page) > limit else None
    return count, page[:limit], cursor


def _place_in(listing: Listing, order: str) -> Callable[[Row], Place]:
    if order == NATURAL:
        return lambda row: (True, "", *row.key)
    text_of = listing.orders[order]

    def place(row: Row) -> Place:
        found = text_of(row.value)
        return (found is not None, found or "", *row.key)

    return place


def _after(cursor: str, ordering: str, listing: Listing) -> Place:
    """The place that a cursor holds, of the order that is asked for."""
    value = unpacked(cursor)
    if isinstance(value, list) and len(value) == 3 + len(listing.keys) and value[0] == ordering:
        has_value, *texts = value[1:]
        if isinstance(has_value, bool) and all(isinstance(part, str) for part in texts):
            return (has_value, texts[0], *texts[1:])
    raise in_query("cursor", _("is none that a page of this order gave"))


def next_address(request: Request, cursor: str) -> str:
    """Where the page after this one is."""
    query = request.query_params.copy()
    query["cursor"] = cursor
    return request.build_absolute_uri(f"{request.path}?{query.urlencode()}")


__all__ = ["DATABASE", "INSTANCE", "Filter", "Listing", "listed", "next_address", "row_as_json"]

"""Rows that no request changes: a listing, its address, and what the schema says of it."""

from __future__ import annotations

from typing import Any, ClassVar

from django.urls import URLPattern, path
from django.utils.translation import gettext_lazy as _
from drf_spectacular.utils import extend_schema, extend_schema_view
from rest_framework.request import Request
from rest_framework.response import Response

from brokerui.api import openapi
from brokerui.api.base import ApiView
from brokerui.api.bodies import page_of
from brokerui.api.listing import RowListing, list_rows


class ReadOnlyRowList(ApiView):
    """The rows of one listing."""

    listing: ClassVar[RowListing]

    def get(self, request: Request) -> Response:
        """Return a page of its rows."""
        return list_rows(request, self.listing)


def read_only_address(folder: str, listing: RowListing, row: type[Any], description: Any) -> URLPattern:
    """Return the address `FOLDER/LISTING/`; `row` describes one row of the listing."""
    name = f"{folder}_{listing.name}"
    title = "".join(word.title() for word in name.split("_"))
    view: type[ReadOnlyRowList] = type(title, (ReadOnlyRowList,), {"listing": listing})
    described: type[ReadOnlyRowList] = extend_schema_view(
        get=extend_schema(
            operation_id=name,
            tags=openapi.tags(_("Catalog views")),
            summary=str(listing.title),
            description=description,
            **openapi.conditional_get(page_of(row), query=listing.query),
        )
    )(view)
    address: URLPattern = path(f"{folder}/{listing.name}/", described.as_view(), name=name)
    return address

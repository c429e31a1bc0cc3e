"""`sys/`: the product's catalog views of what an estate holds."""

from __future__ import annotations

from typing import ClassVar

from django.urls import URLPattern, path
from django.utils.translation import gettext_lazy
from drf_spectacular.utils import extend_schema, extend_schema_view
from rest_framework.request import Request
from rest_framework.response import Response

from brokerui.api import openapi
from brokerui.api.base import ApiView
from brokerui.api.bodies import page_of
from brokerui.api.catalog_columns import COLUMNS_BY_VIEW
from brokerui.api.catalog_listings import VIEWS
from brokerui.api.listing import RowListing, list_rows


class CatalogRowList(ApiView):
    """A catalog view of the product."""

    listing: ClassVar[RowListing]

    def get(self, request: Request) -> Response:
        """Return a page of its rows."""
        return list_rows(request, self.listing)


def addresses() -> list[URLPattern]:
    """Return the addresses of all catalog views."""
    return [path(f"sys/{one.name}/", _view(one).as_view(), name=f"sys_{one.name}") for one in VIEWS]


def _view(listing: RowListing) -> type[CatalogRowList]:
    name = "".join(word.title() for word in listing.name.split("_"))
    view: type[CatalogRowList] = type(f"Catalog{name}", (CatalogRowList,), {"listing": listing})
    return extend_schema_view(
        get=extend_schema(
            operation_id=f"sys_{listing.name}",
            tags=openapi.tags(gettext_lazy("Catalog views")),
            summary=str(listing.title),
            description=gettext_lazy(
                "The columns of the product's view, after those that say where the row is. Numbers tie rows of one "
                "version together; they are not those of the instance. What the estate does not know is null."
            ),
            **openapi.conditional_get(page_of(COLUMNS_BY_VIEW[listing.name]), query=listing.query),
        )
    )(view)

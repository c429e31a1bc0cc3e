"""The pages whose filter can be saved, and addresses of views."""

from __future__ import annotations

from typing import Final

from django.http import HttpRequest
from django.urls import reverse
from django.utils.functional import Promise

from brokerui.accounts.levels import may
from brokerui.estate.map_views.filters import Query, query_text
from brokerui.estate.map_views.models import FILTERED_PAGES, MAP, MapView
from brokerui.pages.shell.navigation import PARTS, NavigationEntry

PAGES: Final[dict[str, NavigationEntry]] = {
    stem: place
    for part in PARTS
    for place in part.places
    if (stem := place.view.partition(":")[0]) in (*FILTERED_PAGES, MAP)
}


def label_of(page: str) -> Promise | str:
    """Return the name of a page."""
    return PAGES[page].label if page in PAGES else page


def may_see(request: HttpRequest, view: MapView) -> bool:
    """Whether the user may see the page of a view."""
    return view.page in PAGES and may(request.user, PAGES[view.page].level)


def address_of(view: MapView) -> str:
    """Return the address that opens a view."""
    if view.page == MAP:
        return reverse("map:view", args=[view.key])
    return reverse("saved:view", args=[view.key])


def page_address(page: str, query: Query) -> str:
    """Return the address of a page with a filter."""
    address = reverse(PAGES[page].view)
    return f"{address}?{query_text(query)}" if query else address

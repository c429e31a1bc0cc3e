"""Saved views of pages with filters: save, open, rename, share, delete; and the list of all."""

from __future__ import annotations

from itertools import groupby
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from brokerui.accounts.access import own_account
from brokerui.core.errors import ObjectNotFoundError
from brokerui.estate.map_views.errors import MapViewNotFoundError
from brokerui.estate.map_views.filters import query_of
from brokerui.estate.map_views.models import FILTERED_PAGES, MapView
from brokerui.estate.map_views.selectors import view_get, views_for
from brokerui.estate.map_views.services import QUERY, map_view_change, map_view_create
from brokerui.pages.saved.addresses import address_of, label_of, may_see, page_address
from brokerui.pages.shell.view_acts import delete_view, is_shared, refusal
from routing.common.errors import Invalid
from routing.common.sentence import say


@require_safe
def saved_list(request: HttpRequest) -> HttpResponse:
    """Every view that the user sees, by page."""
    user = request.user.get_username()
    seen = [view for view in views_for(user) if may_see(request, view)]
    groups = [
        (label_of(page), [(view, address_of(view), view.owner == user) for view in views])
        for page, views in groupby(seen, key=lambda view: view.page)
    ]
    return render(request, "saved/list.html", {"groups": groups})


@own_account
@require_POST
def save(request: HttpRequest) -> HttpResponse:
    """Keep the filter of a page under a name, and go on with that page."""
    page = request.POST.get("page", "")
    if page not in FILTERED_PAGES:
        raise Http404
    query = query_of(request.POST.get("query", "")[:QUERY])
    try:
        view = map_view_create(
            page=page,
            title=request.POST.get("title", ""),
            query=query,
            is_shared=is_shared(request),
            owner=request.user.get_username(),
        )
        messages.success(request, _("The view %(title)s is saved.") % {"title": view.title})
    except Invalid as error:
        messages.error(request, refusal(error))
    return redirect(page_address(page, query))


@own_account
@require_http_methods(["GET", "HEAD", "POST"])
def saved(request: HttpRequest, key: str) -> HttpResponse:
    """Open a view; with POST, give it another name, or share it or not."""
    user = request.user.get_username()
    try:
        view = view_get(key, user)
        if request.method != "POST":
            return redirect(page_address(_page(view), view.query))
        changed: dict[str, Any] = {"title": request.POST.get("title", ""), "is_shared": is_shared(request)}
        view = map_view_change(key=key, owner=user, **changed)
        messages.success(request, _("The view %(title)s is saved.") % {"title": view.title})
    except MapViewNotFoundError:
        raise ObjectNotFoundError(say("There is no such view")) from None
    except Invalid as error:
        messages.error(request, refusal(error))
    return redirect("saved:list")


@own_account
@require_POST
def delete(request: HttpRequest, key: str) -> HttpResponse:
    """Delete a view of one's own; its page stays as it is."""
    delete_view(request, key)
    return redirect("saved:list")


def _page(view: MapView) -> str:
    """Return the page of a view. One of the map has an address of its own, with the places of its boxes."""
    if view.page not in FILTERED_PAGES:
        raise MapViewNotFoundError(view.key)
    return view.page

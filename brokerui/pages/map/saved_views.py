"""Saved views of the map: save as, open, change, delete."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST

from brokerui.accounts.access import own_account
from brokerui.changes.estate_view import PARAMETERS
from brokerui.core.errors import ObjectNotFoundError
from brokerui.estate.map_views.errors import MapViewNotFoundError
from brokerui.estate.map_views.models import MAP, MapView
from brokerui.estate.map_views.places import Place, places_from
from brokerui.estate.map_views.selectors import map_view_get
from brokerui.estate.map_views.services import map_view_change, map_view_create
from brokerui.pages.map.map_query import MapQuery
from brokerui.pages.shell.view_acts import delete_view, is_shared, refusal
from routing.common.errors import Invalid
from routing.common.sentence import say

QUERY_CHARS = 8_000


@own_account
@require_POST
def save_as(request: HttpRequest) -> HttpResponse:
    """Save the part of the map that is shown, and the places of its boxes, under a name."""
    try:
        view = map_view_create(
            title=request.POST.get("title", ""),
            query=_query(request),
            places=_places(request) or [],
            is_shared=is_shared(request),
            owner=request.user.get_username(),
        )
    except Invalid as error:
        return _refused(request, error)
    messages.success(request, _("The view %(title)s is saved.") % {"title": view.title})
    return _to(view, _estate(_given(request)))


@own_account
@require_http_methods(["GET", "HEAD", "POST"])
def saved(request: HttpRequest, key: str) -> HttpResponse:
    """Open a view; with POST, change it: its name, who sees it, and what it shows."""
    owner = request.user.get_username()
    try:
        if request.method != "POST":
            return _to(map_view_get(key, owner), _estate(request.GET))
        view = map_view_change(
            key=key,
            page=MAP,
            title=request.POST.get("title", ""),
            query=_query(request),
            places=_places(request),
            is_shared=is_shared(request),
            owner=owner,
        )
    except MapViewNotFoundError:
        raise ObjectNotFoundError(say("There is no such view")) from None
    except Invalid as error:
        return _refused(request, error)
    messages.success(request, _("The view %(title)s is saved.") % {"title": view.title})
    return _to(view, _estate(_given(request)))


@own_account
@require_POST
def delete(request: HttpRequest, key: str) -> HttpResponse:
    """Delete a view; the map stays as it is."""
    delete_view(request, key)
    return redirect(_address({**_estate(_given(request)), **_query(request)}))


def _to(view: MapView, estate: dict[str, str]) -> HttpResponse:
    query = MapQuery.of(view.query).but(view=view.key).query(estate)
    return redirect(f"{reverse('map:map')}?{query}")


def _address(query: dict[str, str]) -> str:
    return f"{reverse('map:map')}?{urlencode(query)}" if query else reverse("map:map")


def _refused(request: HttpRequest, error: Invalid) -> HttpResponse:
    """Return to the map as it was, with the reason."""
    messages.error(request, refusal(error))
    return redirect(_address(_flat(_given(request))))


def _given(request: HttpRequest) -> QueryDict:
    return QueryDict(request.POST.get("query", "")[:QUERY_CHARS])


def _query(request: HttpRequest) -> dict[str, str]:
    """Return what the map shows, as its address says; a selection is no part of a view."""
    shown = MapQuery.of(_given(request)).but(select="", view="", reach="")
    return _flat(QueryDict(shown.query({})))


def _estate(given: QueryDict) -> dict[str, str]:
    """Return the parameters of the estate that the map shows: a view is of the map, not of one estate."""
    return {name: value for name, value in _flat(given).items() if name in PARAMETERS}


def _flat(given: QueryDict) -> dict[str, str]:
    return {name: given.get(name, "") for name in given}


def _places(request: HttpRequest) -> list[Place] | None:
    """Return where boxes were put; None where the page has no script that knows it."""
    text: Any = request.POST.get("places")
    return None if text is None else places_from(text)

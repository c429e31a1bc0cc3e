"""Reading saved views: a user sees the own ones, and those that others share."""

from __future__ import annotations

from collections.abc import Sequence

from django.db.models import Q, QuerySet

from brokerui.estate.map_views.errors import MapViewNotFoundError
from brokerui.estate.map_views.models import MAP, MapView


def map_views_for(user: str) -> list[MapView]:
    """Return the views of the map that a user has, and the shared ones, by title."""
    return views_of_page(user, MAP)


def views_of_page(user: str, page: str) -> list[MapView]:
    """Return the views of a page that a user has, and the shared ones, by title."""
    return list(_seen(user).filter(page=page).defer("places"))


def views_named(user: str, words: Sequence[str], limit: int) -> list[MapView]:
    """Return views with all of these words in their title."""
    rows = _seen(user)
    for word in words:
        rows = rows.filter(title__icontains=word)
    return list(rows.defer("places")[:limit])


def views_for(user: str) -> list[MapView]:
    """Return all views that a user sees, by page and title."""
    return list(_seen(user).defer("places").order_by("page", "title", "id"))


def views_after(user: str, after: int, limit: int) -> list[MapView]:
    """Return the first views of pages other than the map, by id, with one larger than `after`."""
    return list(_seen(user).exclude(page=MAP).filter(pk__gt=after).order_by("pk")[:limit])


def map_views_after(user: str, after: int, limit: int) -> list[MapView]:
    """Return the first views that a user sees, by id, with one larger than `after`."""
    return list(_seen(user).filter(page=MAP, pk__gt=after).order_by("pk")[:limit])


def map_view_get(key: str, user: str) -> MapView:
    """Return a view of the map that the user sees. Raises `MapViewNotFoundError`."""
    found = view_get(key, user)
    if found.page != MAP:
        raise MapViewNotFoundError(key)
    return found


def view_get(key: str, user: str) -> MapView:
    """Return a view of any page that the user sees. Raises `MapViewNotFoundError`."""
    found = _seen(user).filter(key=key).first()
    if found is None:
        raise MapViewNotFoundError(key)
    return found


def _seen(user: str) -> QuerySet[MapView]:
    return MapView.objects.filter(Q(owner=user) | Q(is_shared=True))

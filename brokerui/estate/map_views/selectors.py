"""Reading saved views of the map: a user sees the own ones, and those that others share."""

from __future__ import annotations

from django.db.models import Q

from brokerui.estate.map_views.errors import MapViewNotFoundError
from brokerui.estate.map_views.models import MapView


def map_views_for(user: str) -> list[MapView]:
    """Return the views of a user and the shared ones, by title."""
    return list(MapView.objects.filter(Q(owner=user) | Q(is_shared=True)))


def map_views_after(user: str, after: int, limit: int) -> list[MapView]:
    """Return the first views that a user sees, by id, with one larger than `after`."""
    seen = MapView.objects.filter(Q(owner=user) | Q(is_shared=True), pk__gt=after)
    return list(seen.order_by("pk")[:limit])


def map_view_get(key: str, user: str) -> MapView:
    """Return a view that the user sees. Raises `MapViewNotFoundError`."""
    found = MapView.objects.filter(Q(owner=user) | Q(is_shared=True), key=key).first()
    if found is None:
        raise MapViewNotFoundError(key)
    return found

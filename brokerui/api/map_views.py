"""`map/views/`: saved views of the map, of a user and shared ones. They belong to no version and change no estate."""

from __future__ import annotations

from typing import Any, Final

from django.urls import URLPattern, path
from django.utils.translation import gettext_lazy
from drf_spectacular.utils import OpenApiExample, OpenApiParameter, extend_schema, extend_schema_view

from brokerui.api import openapi
from brokerui.api.bodies import uncounted_page_of
from brokerui.api.map_view_bodies import (
    MapViewChangeSerializer,
    MapViewSerializer,
    NewMapViewSerializer,
    etag_of_map_view,
    map_view_as_json,
)
from brokerui.api.queries import PageQuery
from brokerui.api.view_resources import ViewDetailResource, ViewKind, ViewListResource
from brokerui.estate.map_views.models import KEY
from brokerui.estate.map_views.selectors import map_view_get, map_views_after

EXAMPLE: Final = OpenApiExample(
    "view",
    value={
        "title": "Shop floor",
        "is_shared": True,
        "query": {"focus": "host1", "hops": "2"},
        "places": [{"ref": "instance/host1", "x": 40, "y": 80}],
    },
    request_only=True,
)
RENAMED: Final = OpenApiExample("title", value={"title": "Shop floor, by night"}, request_only=True)
_TAG = gettext_lazy("Saved views of the map")
_KEY = OpenApiParameter("key", {"type": "string", "maxLength": KEY}, OpenApiParameter.PATH)


def _values_of(body: dict[str, Any]) -> dict[str, Any]:
    """Return the members of a body as the services take them."""
    places = body.get("places")
    return body if places is None else {**body, "places": [(one["ref"], one["x"], one["y"]) for one in places]}


KIND: Final = ViewKind(
    as_json=map_view_as_json,
    etag=etag_of_map_view,
    values_of=_values_of,
    after=map_views_after,
    found=map_view_get,
    defaults={"query": {}, "places": [], "is_shared": False},
    one="api:map_view",
)


@extend_schema_view(
    get=extend_schema(
        operation_id="map_views_list",
        tags=openapi.tags(_TAG),
        summary=gettext_lazy("List"),
        description=gettext_lazy("Your own views, and those that others share; oldest first."),
        **openapi.conditional_get(uncounted_page_of(MapViewSerializer), query=PageQuery),
    ),
    post=extend_schema(
        operation_id="map_views_add",
        tags=openapi.tags(_TAG),
        summary=gettext_lazy("Save a view"),
        description=gettext_lazy("Saves the part that a map shows, and the places of its boxes, under a name."),
        request=NewMapViewSerializer,
        examples=[EXAMPLE],
        parameters=[openapi.etag_header([201])],
        responses={201: MapViewSerializer, **openapi.problems(openapi.WRITE_STATUSES)},
    ),
)
class MapViewList(ViewListResource):
    """The views of the map that a user sees."""

    body = NewMapViewSerializer
    kind = KIND


@extend_schema_view(
    get=extend_schema(
        operation_id="map_view_read",
        tags=openapi.tags(_TAG),
        summary=gettext_lazy("Read one"),
        description=gettext_lazy("A view with the ETag that each write of it takes."),
        **openapi.conditional_get(MapViewSerializer, parameters=[_KEY]),
    ),
    patch=extend_schema(
        operation_id="map_view_change",
        tags=openapi.tags(_TAG),
        summary=gettext_lazy("Change it"),
        description=gettext_lazy("Changes the members that are given. Only the owner of a view changes it."),
        request=MapViewChangeSerializer,
        examples=[RENAMED],
        parameters=[_KEY, openapi.IF_MATCH, openapi.etag_header([200])],
        responses={200: MapViewSerializer, **openapi.problems(openapi.CHANGE_STATUSES)},
    ),
    delete=extend_schema(
        operation_id="map_view_delete",
        tags=openapi.tags(_TAG),
        summary=gettext_lazy("Delete it"),
        description=gettext_lazy("Deletes a view of your own. The map stays as it is."),
        parameters=[_KEY, openapi.IF_MATCH],
        responses={204: None, **openapi.problems(openapi.CHANGE_STATUSES)},
    ),
)
class MapViewDetail(ViewDetailResource):
    """One view of the map."""

    body = MapViewChangeSerializer
    kind = KIND


def addresses() -> list[URLPattern]:
    """Return the addresses of saved views."""
    return [
        path("map/views/", MapViewList.as_view(), name="map_views"),
        path("map/views/<str:key>/", MapViewDetail.as_view(), name="map_view"),
    ]

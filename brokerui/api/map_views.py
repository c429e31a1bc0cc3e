"""`map/views/`: saved views of the map, of a user and shared ones. They belong to no version and change no estate."""

from __future__ import annotations

from typing import Any, Final

from django.urls import URLPattern, path, reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from drf_spectacular.utils import OpenApiExample, OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from brokerui.accounts.levels import Level, may
from brokerui.api import openapi
from brokerui.api.base import ApiView
from brokerui.api.bodies import uncounted_page_of
from brokerui.api.cursors import page_body, read_cursor
from brokerui.api.etags import etag_of_json, is_known, require_match
from brokerui.api.map_view_bodies import (
    MapViewChangeSerializer,
    MapViewSerializer,
    NewMapViewSerializer,
    etag_of_map_view,
    map_view_as_json,
)
from brokerui.api.problems import ApiProblem
from brokerui.api.queries import NoQuery, PageQuery
from brokerui.api.serializers import read_body, read_query
from brokerui.estate.map_views.errors import MapViewNotFoundError, MapViewStaleError
from brokerui.estate.map_views.models import KEY, MapView
from brokerui.estate.map_views.selectors import map_view_get, map_views_after
from brokerui.estate.map_views.services import map_view_change, map_view_create, map_view_delete

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


class MapViewList(ApiView):
    """The views that a user sees."""

    write = Level.VIEW

    @extend_schema(
        operation_id="map_views_list",
        tags=openapi.tags(_TAG),
        summary=gettext_lazy("List"),
        description=gettext_lazy("Your own views, and those that others share; oldest first."),
        **openapi.conditional_get(uncounted_page_of(MapViewSerializer), query=PageQuery),
    )
    def get(self, request: Request) -> Response:
        """Return a page of views."""
        query = read_query(request, PageQuery)
        after, limit = read_cursor(query.get("cursor"), (int,)), query["limit"]
        found = map_views_after(_user(request), after[0] if after else 0, limit + 1)
        rows = [map_view_as_json(view) for view in found[:limit]]
        body = page_body(request, rows, (found[limit - 1].pk,) if len(found) > limit else None)
        etag = etag_of_json(body)
        if is_known(request, etag):
            return Response(status=304, headers={"ETag": etag})
        return Response(body, headers={"ETag": etag})

    @extend_schema(
        operation_id="map_views_add",
        tags=openapi.tags(_TAG),
        summary=gettext_lazy("Save a view"),
        description=gettext_lazy("Saves the part that a map shows, and the places of its boxes, under a name."),
        request=NewMapViewSerializer,
        examples=[EXAMPLE],
        parameters=[openapi.etag_header([201])],
        responses={201: MapViewSerializer, **openapi.problems(openapi.WRITE_STATUSES)},
    )
    def post(self, request: Request) -> Response:
        """Save one."""
        read_query(request, NoQuery)
        body = _read_body(request, NewMapViewSerializer)
        defaults = {"query": {}, "places": [], "is_shared": False}
        view = map_view_create(**{**defaults, **body}, owner=_user(request))
        return _response(view, status=201, Location=reverse("api:map_view", args=[view.key]))


class MapViewDetail(ApiView):
    """One view."""

    write = Level.VIEW

    @extend_schema(
        operation_id="map_view_read",
        tags=openapi.tags(_TAG),
        summary=gettext_lazy("Read one"),
        description=gettext_lazy("A view with the ETag that each write of it takes."),
        **openapi.conditional_get(MapViewSerializer, parameters=[_KEY]),
    )
    def get(self, request: Request, key: str) -> Response:
        """Return it."""
        read_query(request, NoQuery)
        view = _found(request, key)
        etag = etag_of_map_view(view)
        return Response(status=304, headers={"ETag": etag}) if is_known(request, etag) else _response(view)

    @extend_schema(
        operation_id="map_view_change",
        tags=openapi.tags(_TAG),
        summary=gettext_lazy("Change it"),
        description=gettext_lazy("Changes the members that are given. Only the owner of a view changes it."),
        request=MapViewChangeSerializer,
        examples=[RENAMED],
        parameters=[_KEY, openapi.IF_MATCH, openapi.etag_header([200])],
        responses={200: MapViewSerializer, **openapi.problems(openapi.CHANGE_STATUSES)},
    )
    def patch(self, request: Request, key: str) -> Response:
        """Change its title, the users who see it, the part that it shows or the places of its boxes."""
        body = _read_body(request, MapViewChangeSerializer)
        view = _own(request, key)
        kept = {"title": view.title, "is_shared": view.is_shared}
        try:
            changed = map_view_change(**{**kept, **body}, key=key, owner=view.owner, seen_at=view.updated_at)
        except (MapViewNotFoundError, MapViewStaleError):
            raise _changed_meanwhile() from None
        return _response(changed)

    @extend_schema(
        operation_id="map_view_delete",
        tags=openapi.tags(_TAG),
        summary=gettext_lazy("Delete it"),
        description=gettext_lazy("Deletes a view of your own. The map stays as it is."),
        parameters=[_KEY, openapi.IF_MATCH],
        responses={204: None, **openapi.problems(openapi.CHANGE_STATUSES)},
    )
    def delete(self, request: Request, key: str) -> Response:
        """Delete it."""
        view = _own(request, key)
        try:
            map_view_delete(key=key, owner=view.owner, seen_at=view.updated_at)
        except (MapViewNotFoundError, MapViewStaleError):
            raise _changed_meanwhile() from None
        return Response(status=204)


def addresses() -> list[URLPattern]:
    """Return the addresses of saved views."""
    return [
        path("map/views/", MapViewList.as_view(), name="map_views"),
        path("map/views/<str:key>/", MapViewDetail.as_view(), name="map_view"),
    ]


def _user(request: Request) -> str:
    name: str = request.user.get_username()
    return name


def _response(view: MapView, *, status: int = 200, **headers: str) -> Response:
    return Response(map_view_as_json(view), status=status, headers={"ETag": etag_of_map_view(view), **headers})


def _read_body(request: Request, serializer: Any) -> dict[str, Any]:
    """Return the members of a body as the services take them; raises a problem where the user may not share."""
    body = dict(read_body(request.data, serializer))
    if body.get("is_shared") and not may(request.user, Level.OPERATE):
        raise ApiProblem(403, _("Your role does not share views: leave `is_shared` out."), code="forbidden")
    if "places" in body:
        body["places"] = [(one["ref"], one["x"], one["y"]) for one in body["places"]]
    return body


def _found(request: Request, key: str) -> MapView:
    try:
        return map_view_get(key, _user(request))
    except MapViewNotFoundError:
        raise ApiProblem(404, _("There is no such view, or it is private.")) from None


def _own(request: Request, key: str) -> MapView:
    """Return a view that the client has seen (`If-Match`) and that its user owns."""
    read_query(request, NoQuery)
    view = _found(request, key)
    require_match(request, etag_of_map_view(view))
    if view.owner != _user(request):
        detail = _("The view belongs to %(owner)s: its owner alone changes it.") % {"owner": view.owner}
        raise ApiProblem(403, detail, code="forbidden")
    return view


def _changed_meanwhile() -> ApiProblem:
    return ApiProblem(412, _("It has changed since you read it. Read it again, then repeat the change."))

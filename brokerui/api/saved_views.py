"""`views/`: saved filters of pages, of a user and shared ones. Those of the map are `map/views/`."""

from __future__ import annotations

from typing import Any, Final

from django.urls import URLPattern, path, reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from drf_spectacular.utils import OpenApiExample, OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from brokerui.accounts.levels import Level, may
from brokerui.api import openapi
from brokerui.api.base import ApiView
from brokerui.api.bodies import uncounted_page_of
from brokerui.api.cursors import page_body, read_cursor
from brokerui.api.etags import etag_of, etag_of_json, is_known, require_match
from brokerui.api.fields import NameField, StrictBooleanField, StrictChoiceField
from brokerui.api.map_view_bodies import MAX_VALUE
from brokerui.api.problems import ApiProblem
from brokerui.api.queries import NoQuery, PageQuery
from brokerui.api.serializers import StrictSerializer, read_body, read_query
from brokerui.estate.map_views.errors import MapViewNotFoundError, MapViewStaleError
from brokerui.estate.map_views.filters import query_of, query_text
from brokerui.estate.map_views.models import FILTERED_PAGES, KEY, MAP, TITLE, MapView
from brokerui.estate.map_views.selectors import view_get, views_after
from brokerui.estate.map_views.services import map_view_change, map_view_create, map_view_delete

EXAMPLE: Final = OpenApiExample(
    "view",
    value={"page": "events", "title": "Refused peers", "is_shared": True, "query": "event_class=Broker%3AConnection"},
    request_only=True,
)
RENAMED: Final = OpenApiExample("title", value={"title": "Refused peers, of today"}, request_only=True)
_TAG = gettext_lazy("Saved views of pages")
_KEY = OpenApiParameter("key", {"type": "string", "maxLength": KEY}, OpenApiParameter.PATH)
_SHARED = gettext_lazy("Whether other users see it.")
_QUERY = gettext_lazy("The filter as the address of the page has it, behind the question mark. Moments are UTC.")


class NewSavedViewSerializer(StrictSerializer):
    """A new view."""

    page = StrictChoiceField(FILTERED_PAGES, help_text=gettext_lazy("The page, as its address begins."))
    title = NameField(max_length=TITLE)
    query = NameField(max_length=MAX_VALUE, help_text=_QUERY)
    is_shared = StrictBooleanField(required=False, help_text=_SHARED)


class SavedViewChangeSerializer(StrictSerializer):
    """A change of a view. A member that is left out keeps its value."""

    title = NameField(max_length=TITLE, required=False)
    query = NameField(max_length=MAX_VALUE, required=False, help_text=_QUERY)
    is_shared = StrictBooleanField(required=False, help_text=_SHARED)


class SavedViewSerializer(serializers.Serializer):
    """A saved view of a page."""

    key = serializers.CharField(help_text=gettext_lazy("Its name in addresses: `/saved/KEY/`."))
    page = serializers.ChoiceField(FILTERED_PAGES)
    title = serializers.CharField()
    owner = serializers.CharField()
    is_shared = serializers.BooleanField()
    query = serializers.CharField(allow_blank=True, help_text=_QUERY)
    updated_at = serializers.DateTimeField()


class SavedViewList(ApiView):
    """The views that a user sees."""

    write = Level.VIEW

    @extend_schema(
        operation_id="saved_views_list",
        tags=openapi.tags(_TAG),
        summary=gettext_lazy("List"),
        description=gettext_lazy("Your own views, and those that others share; oldest first."),
        **openapi.conditional_get(uncounted_page_of(SavedViewSerializer), query=PageQuery),
    )
    def get(self, request: Request) -> Response:
        """Return a page of views."""
        query = read_query(request, PageQuery)
        after, limit = read_cursor(query.get("cursor"), (int,)), query["limit"]
        found = views_after(_user(request), after[0] if after else 0, limit + 1)
        rows = [_as_json(view) for view in found[:limit]]
        body = page_body(request, rows, (found[limit - 1].pk,) if len(found) > limit else None)
        etag = etag_of_json(body)
        if is_known(request, etag):
            return Response(status=304, headers={"ETag": etag})
        return Response(body, headers={"ETag": etag})

    @extend_schema(
        operation_id="saved_views_add",
        tags=openapi.tags(_TAG),
        summary=gettext_lazy("Save a view"),
        description=gettext_lazy("Saves the filter of a page under a name."),
        request=NewSavedViewSerializer,
        examples=[EXAMPLE],
        parameters=[openapi.etag_header([201])],
        responses={201: SavedViewSerializer, **openapi.problems(openapi.WRITE_STATUSES)},
    )
    def post(self, request: Request) -> Response:
        """Save one."""
        read_query(request, NoQuery)
        view = map_view_create(
            **{"is_shared": False, **_read_body(request, NewSavedViewSerializer)}, owner=_user(request)
        )
        return _response(view, status=201, Location=reverse("api:saved_view", args=[view.key]))


class SavedViewDetail(ApiView):
    """One view."""

    write = Level.VIEW

    @extend_schema(
        operation_id="saved_view_read",
        tags=openapi.tags(_TAG),
        summary=gettext_lazy("Read one"),
        description=gettext_lazy("A view with the ETag that each write of it takes."),
        **openapi.conditional_get(SavedViewSerializer, parameters=[_KEY]),
    )
    def get(self, request: Request, key: str) -> Response:
        """Return it."""
        read_query(request, NoQuery)
        view = _found(request, key)
        etag = _etag(view)
        return Response(status=304, headers={"ETag": etag}) if is_known(request, etag) else _response(view)

    @extend_schema(
        operation_id="saved_view_change",
        tags=openapi.tags(_TAG),
        summary=gettext_lazy("Change it"),
        description=gettext_lazy("Changes the members that are given. Only the owner of a view changes it."),
        request=SavedViewChangeSerializer,
        examples=[RENAMED],
        parameters=[_KEY, openapi.IF_MATCH, openapi.etag_header([200])],
        responses={200: SavedViewSerializer, **openapi.problems(openapi.CHANGE_STATUSES)},
    )
    def patch(self, request: Request, key: str) -> Response:
        """Change its title, the users who see it, or its filter."""
        body = _read_body(request, SavedViewChangeSerializer)
        view = _own(request, key)
        kept = {"title": view.title, "is_shared": view.is_shared}
        try:
            changed = map_view_change(**{**kept, **body}, key=key, owner=view.owner, seen_at=view.updated_at)
        except (MapViewNotFoundError, MapViewStaleError):
            raise _changed_meanwhile() from None
        return _response(changed)

    @extend_schema(
        operation_id="saved_view_delete",
        tags=openapi.tags(_TAG),
        summary=gettext_lazy("Delete it"),
        description=gettext_lazy("Deletes a view of your own. Its page stays as it is."),
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
        path("views/", SavedViewList.as_view(), name="saved_views"),
        path("views/<str:key>/", SavedViewDetail.as_view(), name="saved_view"),
    ]


def _user(request: Request) -> str:
    name: str = request.user.get_username()
    return name


def _as_json(view: MapView) -> dict[str, Any]:
    return {
        "key": view.key,
        "page": view.page,
        "title": view.title,
        "owner": view.owner,
        "is_shared": view.is_shared,
        "query": query_text(view.query),
        "updated_at": view.updated_at.isoformat(),
    }


def _etag(view: MapView) -> str:
    return etag_of("saved_view", view.key, view.updated_at.isoformat())


def _response(view: MapView, *, status: int = 200, **headers: str) -> Response:
    return Response(_as_json(view), status=status, headers={"ETag": _etag(view), **headers})


def _read_body(request: Request, serializer: Any) -> dict[str, Any]:
    """Return the members of a body as the services take them; raises a problem where the user may not share."""
    body = dict(read_body(request.data, serializer))
    if body.get("is_shared") and not may(request.user, Level.OPERATE):
        raise ApiProblem(403, _("Your role does not share views: leave `is_shared` out."), code="forbidden")
    if "query" in body:
        body["query"] = query_of(body["query"])
    return body


def _found(request: Request, key: str) -> MapView:
    try:
        view = view_get(key, _user(request))
        if view.page == MAP:
            raise MapViewNotFoundError(key)
        return view
    except MapViewNotFoundError:
        raise ApiProblem(404, _("There is no such view, or it is private.")) from None


def _own(request: Request, key: str) -> MapView:
    """Return a view that the client has seen (`If-Match`) and that its user owns."""
    read_query(request, NoQuery)
    view = _found(request, key)
    require_match(request, _etag(view))
    if view.owner != _user(request):
        detail = _("The view belongs to %(owner)s: its owner alone changes it.") % {"owner": view.owner}
        raise ApiProblem(403, detail, code="forbidden")
    return view


def _changed_meanwhile() -> ApiProblem:
    return ApiProblem(412, _("It has changed since you read it. Read it again, then repeat the change."))

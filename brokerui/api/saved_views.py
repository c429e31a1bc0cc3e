"""`views/`: saved filters of pages, of a user and shared ones. Those of the map are `map/views/`."""

from __future__ import annotations

from typing import Any, Final

from django.urls import URLPattern, path
from django.utils.translation import gettext_lazy
from drf_spectacular.utils import OpenApiExample, OpenApiParameter, extend_schema, extend_schema_view
from rest_framework import serializers

from brokerui.api import openapi
from brokerui.api.bodies import uncounted_page_of
from brokerui.api.etags import etag_of
from brokerui.api.fields import NameField, StrictBooleanField, StrictChoiceField
from brokerui.api.map_view_bodies import MAX_VALUE
from brokerui.api.queries import PageQuery
from brokerui.api.serializers import StrictSerializer
from brokerui.api.view_resources import ViewDetailResource, ViewKind, ViewListResource
from brokerui.estate.map_views.errors import MapViewNotFoundError
from brokerui.estate.map_views.filters import query_of, query_text
from brokerui.estate.map_views.models import FILTERED_PAGES, KEY, MAP, TITLE, MapView
from brokerui.estate.map_views.selectors import view_get, views_after

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


def _values_of(body: dict[str, Any]) -> dict[str, Any]:
    """Return the members of a body as the services take them."""
    return {**body, "query": query_of(body["query"])} if "query" in body else body


def _found(key: str, user: str) -> MapView:
    view = view_get(key, user)
    if view.page == MAP:
        raise MapViewNotFoundError(key)
    return view


KIND: Final = ViewKind(
    as_json=_as_json,
    etag=_etag,
    values_of=_values_of,
    after=views_after,
    found=_found,
    defaults={"is_shared": False},
    one="api:saved_view",
)


@extend_schema_view(
    get=extend_schema(
        operation_id="saved_views_list",
        tags=openapi.tags(_TAG),
        summary=gettext_lazy("List"),
        description=gettext_lazy("Your own views, and those that others share; oldest first."),
        **openapi.conditional_get(uncounted_page_of(SavedViewSerializer), query=PageQuery),
    ),
    post=extend_schema(
        operation_id="saved_views_add",
        tags=openapi.tags(_TAG),
        summary=gettext_lazy("Save a view"),
        description=gettext_lazy("Saves the filter of a page under a name."),
        request=NewSavedViewSerializer,
        examples=[EXAMPLE],
        parameters=[openapi.etag_header([201])],
        responses={201: SavedViewSerializer, **openapi.problems(openapi.WRITE_STATUSES)},
    ),
)
class SavedViewList(ViewListResource):
    """The views of pages that a user sees."""

    body = NewSavedViewSerializer
    kind = KIND


@extend_schema_view(
    get=extend_schema(
        operation_id="saved_view_read",
        tags=openapi.tags(_TAG),
        summary=gettext_lazy("Read one"),
        description=gettext_lazy("A view with the ETag that each write of it takes."),
        **openapi.conditional_get(SavedViewSerializer, parameters=[_KEY]),
    ),
    patch=extend_schema(
        operation_id="saved_view_change",
        tags=openapi.tags(_TAG),
        summary=gettext_lazy("Change it"),
        description=gettext_lazy("Changes the members that are given. Only the owner of a view changes it."),
        request=SavedViewChangeSerializer,
        examples=[RENAMED],
        parameters=[_KEY, openapi.IF_MATCH, openapi.etag_header([200])],
        responses={200: SavedViewSerializer, **openapi.problems(openapi.CHANGE_STATUSES)},
    ),
    delete=extend_schema(
        operation_id="saved_view_delete",
        tags=openapi.tags(_TAG),
        summary=gettext_lazy("Delete it"),
        description=gettext_lazy("Deletes a view of your own. Its page stays as it is."),
        parameters=[_KEY, openapi.IF_MATCH],
        responses={204: None, **openapi.problems(openapi.CHANGE_STATUSES)},
    ),
)
class SavedViewDetail(ViewDetailResource):
    """One view of a page."""

    body = SavedViewChangeSerializer
    kind = KIND


def addresses() -> list[URLPattern]:
    """Return the addresses of saved views."""
    return [
        path("views/", SavedViewList.as_view(), name="saved_views"),
        path("views/<str:key>/", SavedViewDetail.as_view(), name="saved_view"),
    ]

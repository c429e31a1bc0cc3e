"""Resources of saved views: the map's, with the places of its boxes, and those of all other pages, with a filter.

A subclass has the bodies and the views that it is about; the rules for owners, shared views and ETags are these.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from django.urls import reverse
from django.utils.translation import gettext as _
from rest_framework.request import Request
from rest_framework.response import Response

from brokerui.accounts.levels import Level, may
from brokerui.api.base import ApiView
from brokerui.api.cursors import page_body, read_cursor
from brokerui.api.etags import etag_of_json, is_known, require_match
from brokerui.api.problems import ApiProblem
from brokerui.api.queries import NoQuery, PageQuery
from brokerui.api.serializers import read_body, read_query
from brokerui.estate.map_views.errors import MapViewNotFoundError, MapViewStaleError
from brokerui.estate.map_views.models import MapView
from brokerui.estate.map_views.services import map_view_change, map_view_create, map_view_delete

Json = dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class ViewKind:
    """Views of the map, or of other pages: how they are read, found and written."""

    as_json: Callable[[MapView], Json]
    etag: Callable[[MapView], str]
    values_of: Callable[[Json], Json]
    """From the members of a body to the arguments of the services."""
    after: Callable[[str, int, int], list[MapView]]
    """From a user, the last number and a limit to the views that follow."""
    found: Callable[[str, str], MapView]
    """From a key and a user to the view. Raises `MapViewNotFoundError`."""
    defaults: Mapping[str, Any]
    """Values of members that a new view may leave out."""
    one: str
    """The name of the address of one view."""


class ViewResource(ApiView):
    """Base of the lists and of the single views."""

    write = Level.VIEW
    kind: ClassVar[ViewKind]
    body: ClassVar[Any]
    """The serializer of the body that is written."""

    def read_values(self, request: Request) -> Json:
        """Return the values of a body; raises a problem where the user may not share."""
        body = dict(read_body(request.data, self.body))
        if body.get("is_shared") and not may(request.user, Level.OPERATE):
            raise ApiProblem(403, _("Your role does not share views: leave `is_shared` out."), code="forbidden")
        return self.kind.values_of(body)

    def answer(self, view: MapView, *, status: int = 200, **headers: str) -> Response:
        """Answer with a view and its ETag."""
        headers = {"ETag": self.kind.etag(view), **headers}
        return Response(self.kind.as_json(view), status=status, headers=headers)


class ViewListResource(ViewResource):
    """The views that a user sees."""

    def get(self, request: Request) -> Response:
        """Return a page of views."""
        query = read_query(request, PageQuery)
        after, limit = read_cursor(query.get("cursor"), (int,)), query["limit"]
        found = self.kind.after(user_of(request), after[0] if after else 0, limit + 1)
        rows = [self.kind.as_json(view) for view in found[:limit]]
        body = page_body(request, rows, (found[limit - 1].pk,) if len(found) > limit else None)
        etag = etag_of_json(body)
        if is_known(request, etag):
            return Response(status=304, headers={"ETag": etag})
        return Response(body, headers={"ETag": etag})

    def post(self, request: Request) -> Response:
        """Save one."""
        read_query(request, NoQuery)
        view = map_view_create(**{**self.kind.defaults, **self.read_values(request)}, owner=user_of(request))
        return self.answer(view, status=201, Location=reverse(self.kind.one, args=[view.key]))


class ViewDetailResource(ViewResource):
    """One view."""

    def get(self, request: Request, key: str) -> Response:
        """Return it."""
        read_query(request, NoQuery)
        view = self._found(request, key)
        etag = self.kind.etag(view)
        return Response(status=304, headers={"ETag": etag}) if is_known(request, etag) else self.answer(view)

    def patch(self, request: Request, key: str) -> Response:
        """Change the members that the body has."""
        values = self.read_values(request)
        view = self._own(request, key)
        kept = {"title": view.title, "is_shared": view.is_shared}
        try:
            changed = map_view_change(**{**kept, **values}, key=key, owner=view.owner, seen_at=view.updated_at)
        except (MapViewNotFoundError, MapViewStaleError):
            raise _changed_meanwhile() from None
        return self.answer(changed)

    def delete(self, request: Request, key: str) -> Response:
        """Delete it."""
        view = self._own(request, key)
        try:
            map_view_delete(key=key, owner=view.owner, seen_at=view.updated_at)
        except (MapViewNotFoundError, MapViewStaleError):
            raise _changed_meanwhile() from None
        return Response(status=204)

    def _found(self, request: Request, key: str) -> MapView:
        try:
            return self.kind.found(key, user_of(request))
        except MapViewNotFoundError:
            raise ApiProblem(404, _("There is no such view, or it is private.")) from None

    def _own(self, request: Request, key: str) -> MapView:
        """Return a view that the client has seen (`If-Match`) and that its user owns."""
        read_query(request, NoQuery)
        view = self._found(request, key)
        require_match(request, self.kind.etag(view))
        if view.owner != user_of(request):
            detail = _("The view belongs to %(owner)s: its owner alone changes it.") % {"owner": view.owner}
            raise ApiProblem(403, detail, code="forbidden")
        return view


def user_of(request: Request) -> str:
    """Return the name of the user."""
    name: str = request.user.get_username()
    return name


def _changed_meanwhile() -> ApiProblem:
    return ApiProblem(412, _("It has changed since you read it. Read it again, then repeat the change."))

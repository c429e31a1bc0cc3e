"""`versions/`: the history of the live estate."""

from __future__ import annotations

from typing import Any

from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from brokerui.api import openapi
from brokerui.api.base import ApiView
from brokerui.api.bodies import page_of
from brokerui.api.change_bodies import ChangeSerializer, NothingSerializer
from brokerui.api.change_writing import change_response, made_by
from brokerui.api.cursors import next_address, not_a_cursor
from brokerui.api.etags import etag_of, is_known
from brokerui.api.problems import ApiProblem
from brokerui.api.queries import NoQuery, PageQuery
from brokerui.api.serializers import read_body, read_query
from brokerui.changes import services
from brokerui.estate.models import Version
from brokerui.estate.selectors import estate_current, version_list


class VersionSerializer(serializers.Serializer):
    """A version of the live estate, and what made it of the one before."""

    number = serializers.IntegerField(min_value=1)
    created_at = serializers.DateTimeField()
    kind = serializers.ChoiceField(["import", "edit"])
    author = serializers.CharField()
    note = serializers.CharField(allow_blank=True)
    added = serializers.IntegerField(min_value=0)
    changed = serializers.IntegerField(min_value=0)
    removed = serializers.IntegerField(min_value=0)


class VersionList(ApiView):
    """The history of the live estate."""

    @extend_schema(
        operation_id="versions_list",
        tags=openapi.tags(gettext_lazy("Versions")),
        summary=gettext_lazy("List"),
        description=gettext_lazy("Who changed the live estate when, and how much; newest first."),
        **openapi.conditional_get(page_of(VersionSerializer), query=PageQuery),
    )
    def get(self, request: Request) -> Response:
        """Return a page of versions, newest first."""
        query = read_query(request, PageQuery)
        live = estate_current()
        etag = etag_of(live.digest, request.get_full_path())
        if is_known(request, etag):
            return Response(status=304, headers={"ETag": etag})
        limit = query["limit"]
        versions = version_list(before=_before(query.get("cursor")), limit=limit + 1)
        more = len(versions) > limit
        body = {
            "count": live.version,
            "next": next_address(request, str(versions[limit - 1].number)) if more else None,
            "results": [_as_json(version) for version in versions[:limit]],
        }
        return Response(body, headers={"ETag": etag})


class VersionDetail(ApiView):
    """One version of the live estate."""

    @extend_schema(
        operation_id="version_read",
        tags=openapi.tags(gettext_lazy("Versions")),
        summary=gettext_lazy("Read one"),
        description=gettext_lazy("Who made it, when and why, and how many rows it added, changed and removed."),
        **openapi.conditional_get(VersionSerializer, parameters=[openapi.NUMBER]),
    )
    def get(self, request: Request, number: str) -> Response:
        """Return who made it, when and why, and how many rows differ."""
        read_query(request, NoQuery)
        version = _found(_number(number) or 0)
        etag = etag_of(version.digest)
        if is_known(request, etag):
            return Response(status=304, headers={"ETag": etag})
        return Response(_as_json(version), headers={"ETag": etag})


class VersionRestore(ApiView):
    """An earlier version as a draft."""

    @extend_schema(
        operation_id="version_restore",
        tags=openapi.tags(gettext_lazy("Versions")),
        summary=gettext_lazy("Restore as a draft"),
        description=gettext_lazy(
            "Begins a draft on the live version; its edits give the estate what it had in this version. The live "
            "estate stays as it is until the draft is applied. 409 where nothing differs."
        ),
        request=None,
        parameters=[openapi.NUMBER, openapi.etag_header([201])],
        responses={201: ChangeSerializer, **openapi.problems((*openapi.WRITE_STATUSES, 404))},
    )
    def post(self, request: Request, number: str) -> Response:
        """Begin the draft."""
        read_query(request, NoQuery)
        read_body(request.data or {}, NothingSerializer)
        version = _found(_number(number) or 0)
        author = request.user.get_username()
        draft = made_by(services.draft_from_version, version=version.number, author=author)
        return change_response(draft, status=201, headers={"Location": reverse("api:change", args=[draft.id])})


def _found(number: int) -> Version:
    versions = version_list(before=number + 1, limit=1)
    if not versions or versions[0].number != number:
        raise ApiProblem(404, _("The estate has no such version."))
    return versions[0]


def _as_json(version: Version) -> dict[str, Any]:
    names = ("number", "created_at", "kind", "author", "note", "added", "changed", "removed")
    return {name: getattr(version, name) for name in names}


def _before(cursor: str | None) -> int | None:
    if cursor is None:
        return None
    number = _number(cursor)
    if number is None:
        raise not_a_cursor()
    return number


def _number(text: str) -> int | None:
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 10 else None

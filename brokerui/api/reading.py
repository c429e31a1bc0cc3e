"""Views that only read: the product's catalog views, and the versions of the live estate."""

from __future__ import annotations

from typing import Any, ClassVar

from django.urls import URLPattern, path
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from drf_spectacular.utils import OpenApiParameter, extend_schema, extend_schema_view
from rest_framework.request import Request
from rest_framework.response import Response

from brokerui.api import telling
from brokerui.api.base import ApiView
from brokerui.api.catalog import VIEWS
from brokerui.api.catalog_shapes import SHAPES
from brokerui.api.listing import Listing, listed, next_address
from brokerui.api.parameters import LIMIT, PAGE, given
from brokerui.api.problems import Problem, in_query
from brokerui.api.shapes import VersionSerializer, page_of
from brokerui.api.tags import is_known, tag_of
from brokerui.estate.models import Version
from brokerui.estate.selectors import estate_current, version_list


class CatalogRows(ApiView):
    """A catalog view of the product."""

    listing: ClassVar[Listing]

    def get(self, request: Request) -> Response:
        """A page of its rows."""
        return listed(request, self.listing)


class Versions(ApiView):
    """The history of the live estate."""

    @extend_schema(
        operation_id="versions_list",
        tags=telling.tagged(gettext_lazy("Versions")),
        summary=gettext_lazy("List"),
        description=gettext_lazy("Who changed the live estate when, and how much; newest first."),
        parameters=[*telling.told(PAGE), telling.IF_NONE_MATCH, telling.tag_header([200])],
        responses={200: page_of(VersionSerializer), 304: telling.UNCHANGED, **telling.problems(telling.READS)},
    )
    def get(self, request: Request) -> Response:
        """Newest first."""
        asked = given(request, PAGE)
        live = estate_current()
        tag = tag_of(live.digest, request.get_full_path())
        if is_known(request, tag):
            return Response(status=304, headers={"ETag": tag})
        limit = asked.get("limit", LIMIT)
        versions = version_list(before=_before(asked.get("cursor")), limit=limit + 1)
        more = len(versions) > limit
        body = {
            "count": live.version,
            "next": next_address(request, str(versions[limit - 1].number)) if more else None,
            "results": [_as_json(version) for version in versions[:limit]],
        }
        return Response(body, headers={"ETag": tag})


class OneVersion(ApiView):
    """One version."""

    @extend_schema(
        operation_id="version_read",
        tags=telling.tagged(gettext_lazy("Versions")),
        summary=gettext_lazy("Read one"),
        description=gettext_lazy("Who made it, when and why, and how many rows it added, changed and removed."),
        parameters=[
            OpenApiParameter("number", {"type": "integer", "minimum": 1}, OpenApiParameter.PATH),
            telling.IF_NONE_MATCH,
            telling.tag_header([200]),
        ],
        responses={200: VersionSerializer, 304: telling.UNCHANGED, **telling.problems(telling.READS)},
    )
    def get(self, request: Request, number: str) -> Response:
        """Who, when, why, and how much."""
        given(request, ())
        version = _found(_number(number) or 0)
        tag = tag_of(version.digest)
        if is_known(request, tag):
            return Response(status=304, headers={"ETag": tag})
        return Response(_as_json(version), headers={"ETag": tag})


def _found(number: int) -> Version:
    versions = version_list(before=number + 1, limit=1)
    if not versions or versions[0].number != number:
        raise Problem(404, _("The estate has no such version."))
    return versions[0]


def _as_json(version: Version) -> dict[str, Any]:
    names = ("number", "created_at", "kind", "author", "note", "added", "changed", "removed")
    return {name: getattr(version, name) for name in names}


def _before(cursor: str | None) -> int | None:
    if cursor is None:
        return None
    number = _number(cursor)
    if number is None:
        raise in_query("cursor", _("is none that a page gave"))
    return number


def _number(text: str) -> int | None:
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 10 else None


# -- Addresses and schema ----------------------------------------------------------------------------------


def addresses() -> list[URLPattern]:
    """Of all of these."""
    views = [path(f"sys/{one.name}/", _catalog(one).as_view(), name=f"sys_{one.name}") for one in VIEWS]
    return [
        *views,
        path("versions/", Versions.as_view(), name="versions"),
        path("versions/<str:number>/", OneVersion.as_view(), name="version"),
    ]


def _catalog(listing: Listing) -> type[CatalogRows]:
    name = "".join(word.title() for word in listing.name.split("_"))
    view: type[CatalogRows] = type(f"Catalog{name}", (CatalogRows,), {"listing": listing})
    return extend_schema_view(
        get=extend_schema(
            operation_id=f"sys_{listing.name}",
            tags=telling.tagged(gettext_lazy("Catalog views")),
            summary=str(listing.title),
            description=gettext_lazy(
                "The columns of the product's view, after those that say where the row is. Numbers tie rows of one "
                "version together; they are not those of the instance. What the estate does not know is null."
            ),
            parameters=[*telling.told(listing.parameters), telling.IF_NONE_MATCH, telling.tag_header([200])],
            responses={
                200: page_of(SHAPES[listing.name]),
                304: telling.UNCHANGED,
                **telling.problems(telling.READS),
            },
        )
    )(view)

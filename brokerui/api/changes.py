"""`changes/`: drafts of the live estate. Nothing here touches the live estate itself."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from django.http import StreamingHttpResponse
from django.urls import URLPattern, path, reverse
from django.utils.translation import gettext_lazy
from drf_spectacular.utils import OpenApiExample, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from brokerui.api import openapi
from brokerui.api.base import ApiView
from brokerui.api.bodies import uncounted_page_of
from brokerui.api.change_bodies import (
    ChangeEditsSerializer,
    ChangeNameSerializer,
    ChangeRowSerializer,
    ChangeSerializer,
    ChangesQuery,
    NewChangeSerializer,
    change_as_json,
    change_row_as_json,
    draft_found,
    etag_of_change,
)
from brokerui.api.change_effect import ChangeChecks, ChangeDiff
from brokerui.api.change_steps import plain_step
from brokerui.api.change_writing import change_response, change_written, made_by
from brokerui.api.cursors import page_body, read_cursor
from brokerui.api.estate import EstateSerializer
from brokerui.api.etags import etag_of, etag_of_json, is_known
from brokerui.api.queries import NoQuery
from brokerui.api.serializers import read_body, read_query
from brokerui.changes import services
from brokerui.changes.selectors import draft_estate, draft_list
from brokerui.estate.selectors import live_version
from routing.documents.estate_document import FORMAT
from routing.documents.writer import estate_as_json

EXAMPLE: Final = OpenApiExample(
    "edits",
    value={
        "edits": [
            {
                "edit": "put_route",
                "instance": "host1",
                "database": "Orders",
                "route": {"name": "ToParts", "remote_service_name": "OrderParts", "address": "tcp://host2"},
            }
        ]
    },
    request_only=True,
)
NAMED: Final = OpenApiExample("name", value={"name": "Parts to host2"}, request_only=True)
_TAG = gettext_lazy("Changes")


class ChangeList(ApiView):
    """All drafts."""

    @extend_schema(
        operation_id="changes_list",
        tags=openapi.tags(_TAG),
        summary=gettext_lazy("List"),
        description=gettext_lazy("Drafts of the live estate, newest first; discarded ones too."),
        **openapi.conditional_get(uncounted_page_of(ChangeRowSerializer), query=ChangesQuery),
    )
    def get(self, request: Request) -> Response:
        """Return a page of drafts, newest first."""
        query = read_query(request, ChangesQuery)
        after, limit, live = read_cursor(query.get("cursor"), (int,)), query["limit"], live_version()
        drafts = draft_list(
            state=query.get("state", ""),
            author=query.get("author", ""),
            before=after[0] if after else None,
            limit=limit + 1,
        )
        rows = [change_row_as_json(draft, live) for draft in drafts[:limit]]
        body = page_body(request, rows, (rows[-1]["id"],) if len(drafts) > limit else None)
        etag = etag_of_json(body)
        if is_known(request, etag):
            return Response(status=304, headers={"ETag": etag})
        return Response(body, headers={"ETag": etag})

    @extend_schema(
        operation_id="changes_add",
        tags=openapi.tags(_TAG),
        summary=gettext_lazy("Begin a draft"),
        description=gettext_lazy("Begins a draft on the live estate as it is now. The live estate stays as it is."),
        request=NewChangeSerializer,
        examples=[NAMED],
        parameters=[openapi.etag_header([201])],
        responses={201: ChangeSerializer, **openapi.problems(openapi.WRITE_STATUSES)},
    )
    def post(self, request: Request) -> Response:
        """Begin a draft."""
        read_query(request, NoQuery)
        body = read_body(request.data, NewChangeSerializer)
        draft = made_by(services.draft_create, author=request.user.get_username(), **body)
        location = reverse("api:change", args=[draft.id])
        return change_response(draft, status=201, headers={"Location": location})


class ChangeDetail(ApiView):
    """One draft."""

    @extend_schema(
        operation_id="change_read",
        tags=openapi.tags(_TAG),
        summary=gettext_lazy("Read one"),
        description=gettext_lazy("A draft with its edits, and the ETag that each write of it takes."),
        **openapi.conditional_get(ChangeSerializer, parameters=[openapi.NUMBER]),
    )
    def get(self, request: Request, number: str) -> Response:
        """Return it, with its edits."""
        return _read(request, number, lambda body: body)

    @extend_schema(
        operation_id="change_describe",
        tags=openapi.tags(_TAG),
        summary=gettext_lazy("Name it"),
        description=gettext_lazy("Changes the name and the description that are given."),
        request=ChangeNameSerializer,
        examples=[NAMED],
        **openapi.write(ChangeSerializer),
    )
    def patch(self, request: Request, number: str) -> Response:
        """Give it another name or description."""
        body = read_body(request.data, ChangeNameSerializer)
        return change_response(change_written(request, number, services.draft_describe, **body))

    @extend_schema(
        operation_id="change_discard",
        tags=openapi.tags(_TAG),
        summary=gettext_lazy("Discard it"),
        description=gettext_lazy("Closes the draft. It stays in the list, with its edits."),
        parameters=[openapi.NUMBER, openapi.IF_MATCH],
        responses={204: None, **openapi.problems(openapi.CHANGE_STATUSES)},
    )
    def delete(self, request: Request, number: str) -> Response:
        """Close it for good."""
        change_written(request, number, services.draft_discard)
        return Response(status=204)


class ChangeEdits(ApiView):
    """The edits of a draft."""

    @extend_schema(
        operation_id="change_edits_read",
        tags=openapi.tags(_TAG),
        summary=gettext_lazy("Read the edits"),
        description=gettext_lazy("The edits that are in force, in order."),
        **openapi.conditional_get(ChangeEditsSerializer, parameters=[openapi.NUMBER]),
    )
    def get(self, request: Request, number: str) -> Response:
        """Return them in order."""
        return _read(request, number, lambda body: {"edits": body["edits"]})

    @extend_schema(
        operation_id="change_edits_replace",
        tags=openapi.tags(_TAG),
        summary=gettext_lazy("Replace the edits"),
        description=gettext_lazy(
            "Gives the draft this list, as one step that can be taken back. The first edit that does not fit is named "
            "by its index, and nothing is written then."
        ),
        request=ChangeEditsSerializer,
        examples=[EXAMPLE],
        **openapi.write(ChangeSerializer),
    )
    def put(self, request: Request, number: str) -> Response:
        """Replace all of them."""
        body = read_body(request.data, ChangeEditsSerializer)
        return change_response(change_written(request, number, services.edits_replace, **body))

    @extend_schema(
        operation_id="change_edits_add",
        tags=openapi.tags(_TAG),
        summary=gettext_lazy("Add edits"),
        description=gettext_lazy(
            "Adds edits after those of the draft, as one step that can be taken back. The index of an edit that does "
            "not fit counts among those sent."
        ),
        request=ChangeEditsSerializer,
        examples=[EXAMPLE],
        **openapi.write(ChangeSerializer),
    )
    def post(self, request: Request, number: str) -> Response:
        """Add further ones."""
        body = read_body(request.data, ChangeEditsSerializer)
        return change_response(change_written(request, number, services.edits_append, **body))


class ChangeEstate(ApiView):
    """The estate with the edits of a draft."""

    @extend_schema(
        operation_id="change_estate",
        tags=openapi.tags(_TAG),
        summary=gettext_lazy("Read the estate document"),
        description=gettext_lazy("The estate with the edits of the draft, canonical, as `estate/` gives the live one."),
        **openapi.conditional_get(EstateSerializer, parameters=[openapi.NUMBER]),
    )
    def get(self, request: Request, number: str) -> Response | StreamingHttpResponse:
        """Return canonical JSON, a piece at a time."""
        read_query(request, NoQuery)
        edited = draft_estate(draft_found(number))
        headers = {"ETag": etag_of(edited.digest)}
        if is_known(request, headers["ETag"]):
            return Response(status=304, headers=headers)
        pieces = estate_as_json(edited.estate, FORMAT)
        return StreamingHttpResponse(pieces, content_type="application/json", headers=headers)


def addresses() -> list[URLPattern]:
    """Return the addresses of drafts."""
    undo = plain_step(
        "undo", services.draft_undo, gettext_lazy("Undo"), gettext_lazy("Takes back the last step of the draft.")
    )
    redo = plain_step(
        "redo", services.draft_redo, gettext_lazy("Redo"), gettext_lazy("Makes the step again that was taken back.")
    )
    return [
        path("changes/", ChangeList.as_view(), name="changes"),
        path("changes/<str:number>/", ChangeDetail.as_view(), name="change"),
        path("changes/<str:number>/edits/", ChangeEdits.as_view(), name="change_edits"),
        path("changes/<str:number>/undo/", undo, name="change_undo"),
        path("changes/<str:number>/redo/", redo, name="change_redo"),
        path("changes/<str:number>/estate/", ChangeEstate.as_view(), name="change_estate"),
        path("changes/<str:number>/diff/", ChangeDiff.as_view(), name="change_diff"),
        path("changes/<str:number>/checks/", ChangeChecks.as_view(), name="change_checks"),
    ]


def _read(request: Request, number: str, part: Callable[[dict[str, Any]], dict[str, Any]]) -> Response:
    """Return a part of a draft, with the ETag that each write of the draft takes."""
    read_query(request, NoQuery)
    draft = draft_found(number)
    body = change_as_json(draft)
    etag = etag_of_change(draft, body)
    if is_known(request, etag):
        return Response(status=304, headers={"ETag": etag})
    return Response(part(body), headers={"ETag": etag})

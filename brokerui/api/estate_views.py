"""The estate as a whole: its document, and importing."""

from __future__ import annotations

from typing import Any

from django.http import StreamingHttpResponse
from django.utils.translation import gettext_lazy as _
from drf_spectacular.utils import OpenApiExample, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from brokerui.api import telling
from brokerui.api.base import ApiView
from brokerui.api.import_request import OPTIONS, asked_of
from brokerui.api.importing import estate_take
from brokerui.api.parameters import VIEWED, given
from brokerui.api.parsers import FormParser, RawJsonParser, SqlParser, TextParser
from brokerui.api.shapes import EstateSerializer, FormSerializer, ImportedSerializer, ImportSerializer
from brokerui.api.tags import is_known, require_match, tag_of
from brokerui.estate.selectors import estate_current
from brokerui.viewing.viewed import viewed_from
from routing.document import FORMAT
from routing.writing import estate_as_json

SQL = "USE Orders;\nCREATE ROUTE ToParts WITH SERVICE_NAME = 'OrderParts', ADDRESS = 'tcp://host2:4022';"


class EstateDocument(ApiView):
    """The estate document."""

    @extend_schema(
        operation_id="estate_read",
        tags=telling.tagged(_("Estate")),
        summary=_("Read the estate document"),
        description=_("The whole estate, canonical: what the command line and other BrokerUIs read."),
        parameters=[*telling.told(VIEWED), telling.IF_NONE_MATCH, telling.tag_header([200])],
        responses={200: EstateSerializer, 304: telling.UNCHANGED, **telling.problems(telling.READS)},
    )
    def get(self, request: Request) -> Response | StreamingHttpResponse:
        """As canonical JSON."""
        given(request, VIEWED)
        viewed = viewed_from(request.query_params.dict())
        headers = {"ETag": tag_of(viewed.key)}
        if is_known(request, headers["ETag"]):
            return Response(status=304, headers=headers)
        pieces = estate_as_json(viewed.estate, FORMAT)
        return StreamingHttpResponse(pieces, content_type="application/json", headers=headers)


class EstateImport(ApiView):
    """Importing a document, or scripts."""

    parser_classes = [RawJsonParser, SqlParser, TextParser, FormParser]

    @extend_schema(
        operation_id="estate_import",
        tags=telling.tagged(_("Estate")),
        summary=_("Import"),
        description=_(
            "Send an estate document as it is, T-SQL as it is (`application/sql`, with `?instance=`), a form with a "
            "file, or JSON with options.\n\n"
            "`mode` says what becomes of what is there: `whole` (documents, unless you say otherwise): what is "
            "imported is the whole estate; `instances` (T-SQL, unless you say otherwise): it takes the place of the "
            "instances of the same names, and the others stay; `into`: the scripts are run on the estate as it is.\n\n"
            "With `dry_run` nothing is written. With If-Match (the ETag of the estate document) nothing is written "
            "over a change that you have not seen."
        ),
        parameters=[
            *telling.told(OPTIONS),
            telling.header("If-Match", _("The ETag of the estate document that you read.")),
            telling.tag_header([200]),
        ],
        request={
            "application/json": ImportSerializer,
            "application/sql": {"type": "string"},
            "text/plain": {"type": "string"},
            "multipart/form-data": FormSerializer,
        },
        examples=[
            OpenApiExample(
                "T-SQL",
                value={
                    "sql": [{"instance": "host1", "scripts": [{"file": "routes.sql", "text": SQL}]}],
                    "mode": "into",
                    "dry_run": True,
                },
                request_only=True,
                media_type="application/json",
            ),
        ],
        responses={200: ImportedSerializer, **telling.problems([*telling.WRITES, 412])},
    )
    def post(self, request: Request) -> Response:
        """What came of it: version, counts, findings."""
        asked, live = asked_of(request), estate_current()
        if request.headers.get("If-Match"):
            require_match(request, tag_of(live.digest))
        taken = estate_take(asked, live, request.user.get_username())
        return Response(taken.as_json(), headers=_tag(taken.digest))


def _tag(digest: str) -> dict[str, Any]:
    return {"ETag": tag_of(digest)}

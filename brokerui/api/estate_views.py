"""The estate as a whole: its document, and importing."""

from __future__ import annotations

from django.http import StreamingHttpResponse
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from drf_spectacular.utils import OpenApiExample, OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from brokerui.analysis.imports.models import DUE
from brokerui.analysis.imports.selectors import run_get
from brokerui.api import telling
from brokerui.api.base import ApiView
from brokerui.api.import_request import OPTIONS, sent_of
from brokerui.api.importing import (
    SECONDS,
    answered,
    author_of,
    is_for_worker,
    run_again,
    run_as_json,
    send,
    send_and_wait,
    take,
    token_of,
)
from brokerui.api.parameters import VIEWED, given
from brokerui.api.parsers import FormParser, RawJsonParser, SqlParser, TextParser
from brokerui.api.problems import Problem
from brokerui.api.shapes import (
    EstateSerializer,
    FormSerializer,
    ImportedSerializer,
    ImportRunSerializer,
    ImportSerializer,
)
from brokerui.api.tags import is_known, require_match, tag_of
from brokerui.estate.selectors import estate_current, live_digest
from brokerui.estate.viewed import viewed_from
from routing.documents.estate_document import FORMAT
from routing.documents.writer import estate_as_json

DIGITS = 10
"""Fewer than these has the number of an import."""
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
            "over a change that you have not seen.\n\n"
            "What takes long (a large body, or a large estate) is answered 202 and done by a worker: `Location` is "
            "where one asks how far it is and what came of it. `Prefer: respond-async` asks for that. With "
            "`Idempotency-Key` a request may be sent again when no answer came: it is the same import."
        ),
        parameters=[
            *telling.told(OPTIONS),
            telling.header("If-Match", _("The ETag of the estate document that you read.")),
            telling.header("Idempotency-Key", _("Of your own, for each import: up to 64 characters.")),
            telling.header("Prefer", _("`respond-async`: answer at once, whatever it takes.")),
            telling.tag_header([200]),
            telling.response_header("Location", _("Where one asks what came of it."), [202]),
            telling.response_header("Retry-After", _("Seconds."), [202]),
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
        responses={200: ImportedSerializer, 202: ImportRunSerializer, **telling.problems([*telling.WRITES, 412])},
    )
    def post(self, request: Request) -> Response:
        """What came of it: version, counts, findings; or where that will be told."""
        sent, token = sent_of(request), token_of(request)
        known = run_again(token, sent)
        if known is not None:
            return answered(known)
        is_based = bool(request.headers.get("If-Match"))
        if is_based:
            require_match(request, tag_of(live_digest()))
        if is_for_worker(request, sent):
            return answered(send(sent, request, token, is_based=is_based))
        if token:
            return answered(send_and_wait(sent, request, token, is_based=is_based))
        return take(sent, estate_current(), author_of(request))


class OneImport(ApiView):
    """An import that takes longer than a request."""

    @extend_schema(
        operation_id="estate_import_run",
        tags=telling.tagged(_("Estate")),
        summary=_("How far an import is"),
        description=_(
            "`state` is `waiting`, `working`, `done`, `failed` or `discarded`; `open` is one that somebody has in hand "
            "on the page. `result` is there once it is done, `problem` once it failed. While it is under way, "
            "`Retry-After` says after how many seconds to ask again."
        ),
        parameters=[
            OpenApiParameter("number", {"type": "integer", "minimum": 1}, OpenApiParameter.PATH),
            telling.response_header("Retry-After", _("While it is under way: seconds."), [200]),
        ],
        responses={200: ImportRunSerializer, **telling.problems(telling.READS)},
    )
    def get(self, request: Request, number: str) -> Response:
        """State, progress, what came of it."""
        given(request, ())
        run = run_get(int(number)) if number.isascii() and number.isdecimal() and len(number) < DIGITS else None
        if run is None:
            raise Problem(404, gettext("There is no such import."))
        headers = {"Retry-After": str(SECONDS)} if run.state in DUE else {}
        return Response(run_as_json(run), headers=headers)

"""`estate/import/`: importing an estate document, or T-SQL scripts."""

from __future__ import annotations

from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from drf_spectacular.utils import OpenApiExample, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from brokerui.analysis.imports.models import DUE
from brokerui.analysis.imports.selectors import run_get
from brokerui.api import openapi
from brokerui.api.base import ApiView
from brokerui.api.etags import etag_of, require_match
from brokerui.api.fields import NUMBER_DIGITS
from brokerui.api.idempotency import key_header
from brokerui.api.import_bodies import ImportFormSerializer, ImportQuery, ImportSerializer, import_from
from brokerui.api.import_results import ImportedSerializer, ImportRunSerializer, run_as_json
from brokerui.api.import_runs import (
    RETRY_AFTER_S,
    author_of,
    import_now,
    is_for_worker,
    respond,
    run_sent_before,
    send,
    send_and_wait,
    token_of,
)
from brokerui.api.parsers import FormParser, RawJsonParser, SqlParser, TextParser
from brokerui.api.problems import ApiProblem
from brokerui.api.queries import NoQuery
from brokerui.api.serializers import read_query
from brokerui.estate.selectors import estate_current, live_digest

SQL = "USE Orders;\nCREATE ROUTE ToParts WITH SERVICE_NAME = 'OrderParts', ADDRESS = 'tcp://host2:4022';"


class EstateImport(ApiView):
    """Imports an estate document, or T-SQL scripts."""

    parser_classes = [RawJsonParser, SqlParser, TextParser, FormParser]

    @extend_schema(
        operation_id="estate_import",
        tags=openapi.tags(_("Estate")),
        summary=_("Import"),
        description=_(
            "Send an estate document as it is, T-SQL as it is (`application/sql`, with `?instance=`), a form with a "
            "file, or JSON with options.\n\n"
            "`mode` says what happens to the live estate. `whole` (default of documents): the import replaces all of "
            "it. `instances`: it replaces the instances of the same names, and the others stay. `into`: the scripts "
            "run on the live estate. The default of T-SQL is `instances` if the scripts create most objects of their "
            "instances, and `into` if they change some; the answer says in `mode` which of the two it was.\n\n"
            "With `dry_run` nothing is written. With If-Match (the ETag of the estate document) nothing is written "
            "over a change that you have not seen.\n\n"
            "What takes long (a large body, or a large estate) is answered 202 and done by a worker: `Location` is "
            "the address of its progress and its result. `Prefer: respond-async` asks for that. With "
            "`Idempotency-Key` a request may be sent again when no answer came: it is the same import."
        ),
        parameters=[
            ImportQuery,
            openapi.header("If-Match", _("The ETag of the estate document that you read.")),
            key_header(_("A value of your own for each import, up to 64 characters.")),
            openapi.header("Prefer", _("`respond-async`: answer at once, and import in the background.")),
            openapi.etag_header([200]),
            openapi.response_header("Location", _("The address of its progress and its result."), [202]),
            openapi.response_header("Retry-After", _("Seconds."), [202]),
        ],
        request={
            "application/json": ImportSerializer,
            "application/sql": {"type": "string"},
            "text/plain": {"type": "string"},
            "multipart/form-data": ImportFormSerializer,
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
        responses={
            200: ImportedSerializer,
            202: ImportRunSerializer,
            **openapi.problems([*openapi.WRITE_STATUSES, 412]),
        },
    )
    def post(self, request: Request) -> Response:
        """Import; return version, counts and findings, or the address where they will be."""
        sent, token = import_from(request), token_of(request)
        known = run_sent_before(token, sent)
        if known is not None:
            return respond(known)
        is_based = bool(request.headers.get("If-Match"))
        if is_based:
            require_match(request, etag_of(live_digest()))
        if is_for_worker(request, sent):
            return respond(send(sent, request, token, is_based=is_based))
        if token:
            return respond(send_and_wait(sent, request, token, is_based=is_based))
        return import_now(sent, estate_current(), author_of(request))


class ImportRunDetail(ApiView):
    """An import that takes longer than a request."""

    @extend_schema(
        operation_id="estate_import_run",
        tags=openapi.tags(_("Estate")),
        summary=_("How far an import is"),
        description=_(
            "`state` is `waiting`, `working`, `done`, `failed` or `discarded`; `open` is one that a user has opened "
            "on the page. `result` is there once it is done, `problem` once it has failed. While it is under way, "
            "`Retry-After` has the seconds after which to ask again."
        ),
        parameters=[
            openapi.NUMBER,
            openapi.response_header("Retry-After", _("While it is under way: seconds."), [200]),
        ],
        responses={200: ImportRunSerializer, **openapi.problems(openapi.READ_STATUSES)},
    )
    def get(self, request: Request, number: str) -> Response:
        """Return its state, its progress and its result."""
        read_query(request, NoQuery)
        run = run_get(int(number)) if number.isascii() and number.isdecimal() and len(number) < NUMBER_DIGITS else None
        if run is None:
            raise ApiProblem(404, gettext("There is no such import."))
        headers = {"Retry-After": str(RETRY_AFTER_S)} if run.state in DUE else {}
        return Response(run_as_json(run), headers=headers)

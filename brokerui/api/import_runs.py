"""Running an import: within the request where it is small, else by a worker, whose result has an address."""

from __future__ import annotations

import json
from typing import Final
from uuid import uuid4

from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from rest_framework.request import Request
from rest_framework.response import Response

from brokerui.analysis.imports.answer import answer_of, difference_made, localized
from brokerui.analysis.imports.applying import apply_build
from brokerui.analysis.imports.import_job import is_small, run_do
from brokerui.analysis.imports.models import ImportRun, ImportState
from brokerui.analysis.imports.reading import BuiltEstate, ScriptSettings, build_estate
from brokerui.analysis.imports.selectors import run_by_token
from brokerui.analysis.imports.services import wake_work
from brokerui.analysis.imports.unattended_imports import Sent, is_same, run_send, run_token
from brokerui.analysis.imports.variables import variables_from
from brokerui.api.etags import etag_of
from brokerui.api.idempotency import another_request, read_key
from brokerui.api.import_results import problem_of, run_as_json
from brokerui.api.problems import ApiProblem
from brokerui.estate.errors import EstateStaleError
from brokerui.estate.selectors import LiveEstate, estate_current, live_version
from brokerui.messaging.broker_cache import hosted_names

RETRY_AFTER_S: Final = 1
"""Seconds until a client should ask again how far an import is."""


def author_of(request: Request) -> str:
    return request.user.get_username()


def token_of(request: Request) -> str:
    """Return the token of the `Idempotency-Key`; empty where none was sent. Raises `ApiProblem`."""
    key = read_key(request)
    return run_token(author_of(request), key) if key else ""


def run_sent_before(token: str, sent: Sent) -> ImportRun | None:
    """Return the import that was sent with this token before. Raises a problem where that was another one."""
    run = run_by_token(token) if token else None
    if run is not None and not is_same(run, sent):
        raise another_request()
    return run


def is_for_worker(request: Request, sent: Sent) -> bool:
    """Return whether a worker imports it: it takes long, or the client does not want to wait."""
    return "respond-async" in request.headers.get("Prefer", "").lower() or not is_small(sent.size)


def send(sent: Sent, request: Request, token: str, *, is_based: bool) -> ImportRun:
    """Leave it to a worker; `is_based`: to be applied only to the version that is there now."""
    base = live_version() if is_based else None
    run = run_send(sent=sent, author=author_of(request), token=token or uuid4().hex, base_version=base)
    wake_work()
    return run


def send_and_wait(sent: Sent, request: Request, token: str, *, is_based: bool) -> ImportRun:
    """Import within the request; the response is kept for a client that sends it again."""
    estate_current()  # raises NotReady before anything is kept
    base = live_version() if is_based else None
    run = run_send(sent=sent, author=author_of(request), token=token, base_version=base)
    run_do(run.pk)
    run.refresh_from_db()
    return run


def import_now(sent: Sent, live: LiveEstate, author: str) -> Response:
    """Import it as the next version; a dry run writes nothing."""
    made = build_estate(
        sent.sources,
        sent.mode,
        live.estate,
        ScriptSettings(
            sent.at or timezone.now(), variables_from(sent.variables.splitlines()), frozenset(hosted_names())
        ),
    )
    differs = difference_made(live.estate, made)
    written = live if sent.dry_run else _written(sent, made, live, author)
    answer = answer_of(made, differs, written.version, dry_run=sent.dry_run)
    return Response(localized(answer), headers={"ETag": etag_of(written.digest)})


def _written(sent: Sent, made: BuiltEstate, live: LiveEstate, author: str) -> LiveEstate:
    try:
        return apply_build(
            estate=made.estate,
            imported=made.imported,
            author=author,
            note=sent.note,
            base_version=live.version,
            shown=made.shown,
        )
    except EstateStaleError:
        detail = _("The estate changed while this was read. Nothing of it was written; send it again.")
        raise ApiProblem(409, detail) from None


def respond(run: ImportRun) -> Response:
    """Return the response of an import: its result, its problem, or 202 with the address of the run."""
    if run.state == ImportState.FAILED:
        failure = problem_of(run)
        raise ApiProblem(failure["status"], failure["detail"], code=failure["code"], errors=failure.get("errors", ()))
    if run.answer:
        return Response(localized(json.loads(run.answer)))
    where = reverse("api:import_run", args=[run.pk])
    return Response(run_as_json(run), status=202, headers={"Location": where, "Retry-After": str(RETRY_AFTER_S)})

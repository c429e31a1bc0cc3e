"""Imports: at once where the request can wait, else by a worker, which leaves its answer where one asks for it."""

from __future__ import annotations

import json
from typing import Any
from uuid import uuid4

from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from rest_framework.request import Request
from rest_framework.response import Response

from brokerui.analysis.imports.answer import Json, answer_of, difference_made, said
from brokerui.analysis.imports.applying import made_apply
from brokerui.analysis.imports.models import TOKEN, ImportRun, State
from brokerui.analysis.imports.presenter import sentence
from brokerui.analysis.imports.reading import Made, estate_made
from brokerui.analysis.imports.selectors import run_by_token
from brokerui.analysis.imports.sending import Sent, is_same, run_send, run_token
from brokerui.analysis.imports.services import wake_work
from brokerui.analysis.imports.working import is_small, run_do
from brokerui.api.problems import Problem, in_body
from brokerui.api.tags import tag_of
from brokerui.core.problems import KINDS, problem
from brokerui.estate.errors import EstateStaleError
from brokerui.estate.selectors import LiveEstate, estate_current, live_version
from routing.common.errors import Invalid
from routing.common.sentence import say

SECONDS = 1
"""After so many one may ask again how far an import is."""
STATUS = {"": 422, "conflict": 409, "server_error": 500}
"""Of the problem that an import ended with."""


def author_of(request: Request) -> str:
    return request.user.get_username()


def token_of(request: Request) -> str:
    """Of `Idempotency-Key`; empty where none was sent. Raises `Problem`."""
    key = request.headers.get("Idempotency-Key", "")
    if len(key) > TOKEN or not key.isprintable():
        raise Problem(400, _("Idempotency-Key may have up to %(count)s printable characters.") % {"count": TOKEN})
    return run_token(author_of(request), key) if key else ""


def run_again(token: str, sent: Sent) -> ImportRun | None:
    """The import that was sent with this token before. Raises a problem where that was another one."""
    run = run_by_token(token) if token else None
    if run is not None and not is_same(run, sent):
        raise in_body(Invalid("", say("is not what was sent with this Idempotency-Key before")))
    return run


def is_for_worker(request: Request, sent: Sent) -> bool:
    """Whether it takes long, or its sender would not wait."""
    return "respond-async" in request.headers.get("Prefer", "").lower() or not is_small(sent.size)


def send(sent: Sent, request: Request, token: str, *, is_based: bool) -> ImportRun:
    """Have a worker do it; `is_based`: only if the estate is the same then."""
    base = live_version() if is_based else None
    run = run_send(sent=sent, author=author_of(request), token=token or uuid4().hex, base_version=base)
    wake_work()
    return run


def send_and_wait(sent: Sent, request: Request, token: str, *, is_based: bool) -> ImportRun:
    """Do it here; its answer is kept for who sends it again."""
    estate_current()  # where that has to be read first, nothing is kept yet
    base = live_version() if is_based else None
    run = run_send(sent=sent, author=author_of(request), token=token, base_version=base)
    run_do(run.pk)
    run.refresh_from_db()
    return run


def take(sent: Sent, live: LiveEstate, author: str) -> Response:
    """Import it as the next version, or say what would come of it."""
    made = estate_made(sent.sources, sent.mode, live.estate, sent.at or timezone.now())
    differs = difference_made(live.estate, made)
    written = live if sent.dry_run else _written(sent, made, live, author)
    answer = answer_of(made, differs, written.version, dry_run=sent.dry_run)
    return Response(said(answer), headers={"ETag": tag_of(written.digest)})


def _written(sent: Sent, made: Made, live: LiveEstate, author: str) -> LiveEstate:
    try:
        return made_apply(
            estate=made.estate, imported=made.imported, author=author, note=sent.note, base_version=live.version
        )
    except EstateStaleError:
        detail = _("The estate changed while this was read. Nothing of it was written; send it again.")
        raise Problem(409, detail) from None


# -- What became of one ------------------------------------------------------------------------------------


def answered(run: ImportRun) -> Response:
    """To who sent it: what came of it, what is wrong with it, or where that will be told."""
    if run.state == State.FAILED:
        told = problem_of(run)
        status = told.pop("status")
        raise Problem(status, told.pop("detail"), code=told["code"], errors=told.get("errors", ()))
    if run.answer:
        return Response(said(json.loads(run.answer)))
    where = reverse("api:import_run", args=[run.pk])
    return Response(run_as_json(run), status=202, headers={"Location": where, "Retry-After": str(SECONDS)})


def run_as_json(run: ImportRun) -> Json:
    """How far it is, and what came of it."""
    return {
        "id": run.pk,
        "state": _state(run),
        "phase": run.phase,
        "done": run.done,
        "total": run.total,
        "author": run.author,
        "created_at": run.created_at,
        "ended_at": run.ended_at,
        "dry_run": run.dry_run,
        "result": said(json.loads(run.answer)) if run.answer else None,
        "problem": problem_of(run) if run.state == State.FAILED else None,
    }


def _state(run: ImportRun) -> str:
    match run.state:
        case State.READING | State.APPLYING:
            return "working" if run.claim else "waiting"
        case State.UPLOADED | State.PREVIEWED:
            return "open"
        case State.DISCARDED:
            return "done" if run.answer else "discarded"
        case State.APPLIED:
            return "done"
    return "failed"


def problem_of(run: ImportRun) -> dict[str, Any]:
    """As the answer to the request would have been."""
    status = STATUS[run.error_code]
    reason = sentence(json.loads(run.error)).render(_)
    if run.error_code:
        return problem(status=status, detail=reason, code=KINDS[status][0])
    error = {"in": "file", "name": run.error_where, "path": run.error_path, "detail": reason}
    place = ": ".join(part for part in (run.error_where, run.error_path) if part)
    return problem(status=status, detail=f"{place}: {reason}" if place else reason, errors=[error])

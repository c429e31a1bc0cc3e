"""What goes wrong in the REST interface, as problem documents."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.core.exceptions import PermissionDenied
from django.http import Http404
from django.utils.translation import gettext as _
from rest_framework.exceptions import APIException
from rest_framework.response import Response

from brokerui.core.deferred import RETRY_AFTER_S, NotReadyError
from brokerui.core.errors import being_read_text
from brokerui.core.problems import MEDIA_TYPE, problem
from brokerui.estate.viewed import ViewedError
from routing.common.errors import InputError, Invalid

Errors = Sequence[dict[str, Any]]


class Problem(Exception):
    """An answer that says what is wrong."""

    def __init__(self, status: int, detail: str, *, code: str = "", errors: Errors = (), **more: Any) -> None:
        super().__init__(detail)
        self.status = status
        self.detail = detail
        self.code = code
        self.errors = errors
        self.more = more


def in_query(name: str, detail: str) -> Problem:
    """400: a parameter of the address."""
    return Problem(400, f"{name}: {detail}", errors=[{"in": "query", "name": name, "detail": detail}])


def in_body(fault: Invalid, *, status: int = 422) -> Problem:
    """422: a value in the body, with its path."""
    detail = fault.problem.render(_)
    whole = f"{fault.path}: {detail}" if fault.path else detail
    return Problem(status, whole, errors=[{"in": "body", "name": fault.path, "detail": detail}])


def in_file(fault: InputError) -> Problem:
    """422: something in a document or a script, with its JSON path or line."""
    detail = fault.problem.render(_)
    error = {"in": "file", "name": fault.where, "path": fault.path, "detail": detail}
    return Problem(422, fault.render(_), errors=[error])


def handle(error: Exception, context: dict[str, Any]) -> Response | None:
    """The answer to an exception; None for a fault of ours, which the handler of the site answers."""
    found = _problem_of(error)
    if found is None:
        return None
    body = problem(status=found.status, detail=found.detail, code=found.code, errors=found.errors, **found.more)
    return Response(body, status=found.status, headers=_headers(error), content_type=MEDIA_TYPE)


def _problem_of(error: Exception) -> Problem | None:
    match error:
        case Problem():
            return error
        case Invalid():
            return in_body(error)
        case InputError():
            return in_file(error)
        case ViewedError():
            detail = error.problem.render(_)
            errors = [{"in": "query", "name": error.parameter, "detail": detail}]
            return Problem(404, f"{error.parameter}: {detail}", errors=errors)
        case NotReadyError():
            return Problem(503, being_read_text())
        case Http404():
            return Problem(404, _("Nothing is at this address."))
        case PermissionDenied():
            return Problem(403, _("You may not do this here."))
        case APIException():
            return Problem(error.status_code, str(error.detail))
    return None


def _headers(error: Exception) -> dict[str, str]:
    headers = {}
    told = getattr(error, "auth_header", None)
    if told:
        headers["WWW-Authenticate"] = str(told)
    wait = getattr(error, "wait", None)
    if wait is not None:
        headers["Retry-After"] = str(int(wait) + 1)
    if isinstance(error, NotReadyError):
        headers["Retry-After"] = str(RETRY_AFTER_S)
    return headers

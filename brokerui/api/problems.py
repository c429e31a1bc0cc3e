"""ApiProblem documents (RFC 9457): the one shape of every error of the REST interface."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.core.exceptions import PermissionDenied
from django.http import Http404
from django.utils.translation import gettext as _
from rest_framework.exceptions import APIException, AuthenticationFailed, Throttled, ValidationError
from rest_framework.response import Response

from brokerui.changes.estate_view import EstateViewError
from brokerui.core.deferred import RETRY_AFTER_S, NotReadyError
from brokerui.core.errors import being_read_text
from brokerui.core.instance_limit import InstanceForbiddenError
from brokerui.core.problems import MEDIA_TYPE, problem
from brokerui.core.refusals import log_refusal, quoted
from routing.common.errors import InputError, Invalid

Errors = Sequence[dict[str, Any]]


class ApiProblem(Exception):
    """A response that names the fault of a request."""

    wait: float | None = None
    """Seconds after which a client may ask again."""

    def __init__(
        self, status: int, detail: str, *, code: str = "", errors: Errors = (), wait: float | None = None, **more: Any
    ) -> None:
        super().__init__(detail)
        if wait is not None:
            self.wait = wait
        self.status = status
        self.detail = detail
        self.code = code
        self.errors = errors
        self.more = more


def in_query(name: str, detail: str) -> ApiProblem:
    """Return the problem of a query parameter: 400."""
    return ApiProblem(400, f"{name}: {detail}", errors=[{"in": "query", "name": name, "detail": detail}])


def in_body(fault: Invalid, *, status: int = 422) -> ApiProblem:
    """Return the problem of a value in the body, with its JSON path: 422."""
    return at_path(fault.path, fault.problem.render(_), status=status)


def at_path(path: str, detail: str, *, status: int = 422) -> ApiProblem:
    """Return the problem of what stands at a JSON path of the body."""
    whole = f"{path}: {detail}" if path else detail
    return ApiProblem(status, whole, errors=[{"in": "body", "name": path, "detail": detail}])


def first_fault(error: ValidationError) -> tuple[str, str]:
    """Return the path and the sentence with which a serializer refused a body or a query."""
    detail: Any = error.detail
    path, sentences = next(iter(detail.items()))
    return path, str(sentences[0])


def in_file(fault: InputError) -> ApiProblem:
    """Return the problem of an estate document or a script, with its JSON path or line: 422."""
    detail = fault.problem.render(_)
    error = {"in": "file", "name": fault.where, "path": fault.path, "detail": detail}
    return ApiProblem(422, fault.render(_), errors=[error])


def handle(error: Exception, context: dict[str, Any]) -> Response | None:
    """Return the response to an exception; None for a fault of ours, which the handler of the site answers."""
    found = _problem_of(error)
    if found is None:
        return None
    if _is_logged(error, found):
        log_refusal(context["request"], found.status, quoted(found.detail))
    body = problem(status=found.status, detail=found.detail, code=found.code, errors=found.errors, **found.more)
    return Response(body, status=found.status, headers=_headers(error), content_type=MEDIA_TYPE)


def _is_logged(error: Exception, found: ApiProblem) -> bool:
    """Return whether the log has a line about it: an invalid token, a flood, a body that nothing can be read from."""
    if isinstance(error, AuthenticationFailed | Throttled):
        return True
    if found.status == 403:
        return found.detail.startswith("CSRF Failed")
    is_query = any(fault["in"] == "query" for fault in found.errors)
    return found.status == 413 or (found.status == 400 and not is_query)


def _problem_of(error: Exception) -> ApiProblem | None:
    match error:
        case ApiProblem():
            return error
        case Invalid():
            return in_body(error)
        case ValidationError():
            return at_path(*first_fault(error))
        case InputError():
            return in_file(error)
        case EstateViewError():
            detail = error.problem.render(_)
            errors = [{"in": "query", "name": error.parameter, "detail": detail}]
            return ApiProblem(404, f"{error.parameter}: {detail}", errors=errors)
        case NotReadyError():
            return ApiProblem(503, being_read_text())
        case Http404():
            return ApiProblem(404, _("Nothing is at this address."))
        case InstanceForbiddenError():
            return ApiProblem(403, error.sentence.render(_), code="other_instances")
        case PermissionDenied():
            return ApiProblem(403, _("You do not have permission for this, or the site is read-only."))
        case APIException():
            return ApiProblem(error.status_code, str(error.detail))
    return None


def _headers(error: Exception) -> dict[str, str]:
    headers = {}
    auth_header = getattr(error, "auth_header", None)
    if auth_header:
        headers["WWW-Authenticate"] = str(auth_header)
    wait = getattr(error, "wait", None)
    if wait is not None:
        headers["Retry-After"] = str(int(wait) + 1)
    if isinstance(error, NotReadyError):
        headers["Retry-After"] = str(RETRY_AFTER_S)
    return headers

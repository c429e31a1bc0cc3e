"""Errors for programs: problem documents (RFC 9457), the same shape whatever went wrong."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.http import HttpRequest, JsonResponse

MEDIA_TYPE = "application/problem+json"
PREFIX = "/api/"
"""Prefix of the addresses of the REST interface."""
TEXT_MAX_CHARS = 600
"""Longest text in a problem document, in characters: input that it quotes may be long."""

KINDS = {
    400: ("bad_request", "Bad request"),
    401: ("not_authenticated", "Not authenticated"),
    403: ("forbidden", "Forbidden"),
    404: ("not_found", "Not found"),
    405: ("method_not_allowed", "Method not allowed"),
    406: ("not_acceptable", "Not acceptable"),
    409: ("conflict", "Conflict"),
    410: ("gone", "Gone"),
    412: ("stale", "Precondition failed"),
    413: ("too_large", "Content too large"),
    414: ("too_long", "Address too long"),
    415: ("unsupported_media_type", "Unsupported media type"),
    422: ("invalid", "Unprocessable content"),
    428: ("if_match_required", "Precondition required"),
    429: ("too_many_requests", "Too many requests"),
    500: ("server_error", "Internal server error"),
    503: ("being_read", "Service unavailable"),
}
"""For each status: the code that programs compare, and the title."""


def asks_for_problems(request: HttpRequest) -> bool:
    """Return whether the request is for the REST interface, which answers with problem documents."""
    return request.path.startswith(PREFIX)


def problem(
    *, status: int, detail: str, code: str = "", errors: Sequence[dict[str, Any]] = (), **more: Any
) -> dict[str, Any]:
    """The members of the document; `errors` has for each fault where it is (`in`), its `name`, and the reason."""
    usual, title = KINDS[status]
    body = {"type": "about:blank", "title": title, "status": status, "code": code or usual, "detail": shown(detail)}
    if errors:
        body["errors"] = [{key: shown(value) for key, value in error.items()} for error in errors]
    return body | more


def problem_response(*, status: int, detail: str, code: str = "") -> JsonResponse:
    """Make the answer where no REST view does."""
    return JsonResponse(problem(status=status, detail=detail, code=code), status=status, content_type=MEDIA_TYPE)


def shown(text: str) -> str:
    """Shorten a text and replace lone surrogates, which UTF-8 cannot hold."""
    text = text.encode("utf-8", "backslashreplace").decode("utf-8")
    return text if len(text) <= TEXT_MAX_CHARS else f"{text[:TEXT_MAX_CHARS]}…"

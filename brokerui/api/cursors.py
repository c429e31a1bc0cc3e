"""Pages of lists in REST: the cursor that a request brings, and the address of the next page."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.utils.translation import gettext as _
from rest_framework.request import Request

from brokerui.api.ids import packed, unpacked
from brokerui.api.problems import ApiProblem, in_query

MAX_NUMBER = 2**63 - 1
"""Largest number that a database can compare with its keys."""


def read_cursor(cursor: str | None, kinds: Sequence[type]) -> tuple[Any, ...] | None:
    """Return the key that a cursor holds, with parts of these types; None without a cursor. Raises `ApiProblem`."""
    if cursor is None:
        return None
    key = key_of_cursor(cursor, kinds)
    if key is None:
        raise not_a_cursor()
    return key


def key_of_cursor(cursor: str, kinds: Sequence[type]) -> tuple[Any, ...] | None:
    """Return the key that a cursor holds; None if its parts are not of these types."""
    key = unpacked(cursor)
    is_key = isinstance(key, list) and [type(part) for part in key] == list(kinds) and all(map(_is_comparable, key))
    return tuple(key) if is_key else None


def not_a_cursor() -> ApiProblem:
    """Return the problem of a cursor that no page of the list gave."""
    return in_query("cursor", _("is none that a page gave"))


def _is_comparable(part: object) -> bool:
    """Return whether a database can compare a part of a key with its rows."""
    return "\0" not in part if isinstance(part, str) else isinstance(part, int) and 0 <= part <= MAX_NUMBER


def page_body(request: Request, results: Sequence[Any], after: Sequence[Any] | None) -> dict[str, Any]:
    """Return the body of an uncounted page; the next one begins after the key `after` (None: it is the last)."""
    next_page = next_address(request, packed(list(after))) if after else None
    return {"count": None, "next": next_page, "results": results}


def next_address(request: Request, cursor: str) -> str:
    """Return the address of the page after this one."""
    query = request.query_params.copy()
    query["cursor"] = cursor
    return request.build_absolute_uri(f"{request.path}?{query.urlencode()}")

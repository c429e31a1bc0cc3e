"""The header Idempotency-Key: a client may send a request again, and it is done once."""

from __future__ import annotations

from typing import Any, Final

from django.utils.translation import gettext as _
from drf_spectacular.utils import OpenApiParameter
from rest_framework.request import Request

from brokerui.api import openapi
from brokerui.api.problems import ApiProblem, in_body
from routing.common.errors import Invalid
from routing.common.sentence import say

MAX_KEY: Final = 64
"""Characters of an Idempotency-Key."""
NAME: Final = "Idempotency-Key"


def key_header(says: Any) -> OpenApiParameter:
    """Return the description of the header, with its limit."""
    return openapi.header(NAME, says, max_length=MAX_KEY)


def read_key(request: Request) -> str:
    """Return the key of a request; empty where it has none. Raises `ApiProblem` for one beyond the limit."""
    key: str = request.headers.get(NAME, "")
    if len(key) > MAX_KEY or not key.isprintable():
        raise ApiProblem(400, _("Idempotency-Key may have up to %(count)s printable characters.") % {"count": MAX_KEY})
    return key


def another_request() -> ApiProblem:
    """Return the problem of a key that was sent before with another request."""
    return in_body(Invalid("", say("differs from the request that was sent with this Idempotency-Key before")))

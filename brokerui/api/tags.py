"""ETags: what a reader has already, and what a writer has seen."""

from __future__ import annotations

import hashlib
import json
from typing import Any

from django.utils.http import parse_etags
from django.utils.translation import gettext as _
from rest_framework.request import Request

from brokerui.api.problems import Problem


def tag_of(*parts: str) -> str:
    """A strong ETag that stands for these texts."""
    return f'"{hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:32]}"'


def tag_of_json(body: Any) -> str:
    """The ETag of one object."""
    return tag_of(json.dumps(body, sort_keys=True))


def is_known(request: Request, tag: str) -> bool:
    """Whether the reader has this already."""
    return _names(request.headers.get("If-None-Match", ""), tag, weakly=True)


def require_match(request: Request, tag: str) -> None:
    """428 where a writer does not say what it has seen, 412 where that is not what is there."""
    given = request.headers.get("If-Match", "")
    if not given.strip():
        raise Problem(
            428, _("Send If-Match with the ETag of what you read: it keeps you from writing over another one's change.")
        )
    if not _names(given, tag, weakly=False):
        raise Problem(
            412, _("It has changed since you read it. Read it again, and repeat the change on what is there now.")
        )


def _names(header: str, tag: str, *, weakly: bool) -> bool:
    known = parse_etags(header)
    if weakly:
        known = [one.removeprefix("W/") for one in known]
    return "*" in known or tag in known

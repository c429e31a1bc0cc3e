"""ETags: which version of a resource a client has, and on which one it bases a change."""

from __future__ import annotations

import hashlib
import json
from typing import Any

from django.utils.http import parse_etags
from django.utils.translation import gettext as _
from rest_framework.request import Request

from brokerui.api.problems import ApiProblem


def etag_of(*parts: str) -> str:
    """Return a strong ETag that stands for these texts."""
    return f'"{hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:32]}"'


def etag_of_json(body: Any) -> str:
    """Return the ETag of one object."""
    return etag_of(json.dumps(body, sort_keys=True))


def is_known(request: Request, etag: str) -> bool:
    """Return whether the client has this version already (`If-None-Match`)."""
    return _names(request.headers.get("If-None-Match", ""), etag, weakly=True)


def require_match(request: Request, etag: str) -> None:
    """Raise a problem unless `If-Match` names the version that is there: 428 without it, 412 where it is another."""
    given = request.headers.get("If-Match", "")
    if not given.strip():
        raise ApiProblem(
            428,
            _("Send If-Match with the ETag of what you read, so that you do not overwrite a change of somebody else."),
        )
    if not _names(given, etag, weakly=False):
        raise ApiProblem(412, _("It has changed since you read it. Read it again, then repeat the change."))


def _names(header: str, etag: str, *, weakly: bool) -> bool:
    known = parse_etags(header)
    if weakly:
        known = [one.removeprefix("W/") for one in known]
    return "*" in known or etag in known

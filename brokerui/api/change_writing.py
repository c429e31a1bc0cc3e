"""Writes of a draft over REST: one shape for the edits, the steps and the review."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from rest_framework.request import Request
from rest_framework.response import Response

from brokerui.api.change_bodies import change_as_json, change_row_as_json, draft_found, etag_of_change
from brokerui.api.change_refusals import REFUSALS, refused
from brokerui.api.etags import require_match
from brokerui.api.queries import NoQuery
from brokerui.api.serializers import read_query
from brokerui.changes.models import SavedDraft
from brokerui.estate.selectors import live_version

T = TypeVar("T")
"""The return value of a service: a draft, or a draft with further facts."""


def change_written(request: Request, number: str, service: Callable[..., T], **values: Any) -> T:
    """Call a service for the draft that the client has seen (`If-Match`)."""
    read_query(request, NoQuery)
    draft = draft_found(number)
    require_match(request, etag_of_change(draft, change_row_as_json(draft, live_version())))
    author = request.user.get_username()
    return made_by(service, number=draft.id, revision=draft.revision, author=author, **values)


def made_by(service: Callable[..., T], **values: Any) -> T:
    """Call a service; raises the problem of what it refuses."""
    try:
        return service(**values)
    except REFUSALS as error:
        raise refused(error) from None


def change_response(draft: SavedDraft, *, status: int = 200, headers: Any = None, body: Any = None) -> Response:
    """Return a draft with the ETag that the next write of it takes; `body` stands in place of the draft itself."""
    change = change_as_json(draft)
    etag = etag_of_change(draft, change)
    return Response(body or change, status=status, headers={"ETag": etag, **(headers or {})})

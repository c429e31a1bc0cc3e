"""The draft that a page is about: the bar above the page names it."""

from __future__ import annotations

from django.http import Http404, HttpRequest

from brokerui.changes.errors import DraftNotFoundError
from brokerui.changes.models import SavedDraft
from brokerui.changes.selectors import draft_get, draft_info


def draft_of(request: HttpRequest, number: int) -> SavedDraft:
    """Return the draft of this number, and keep it with the request for the bar. 404 where there is none."""
    try:
        draft = draft_get(number)
    except DraftNotFoundError:
        raise Http404 from None
    request.drafted = draft_info(draft)  # type: ignore[attr-defined]  # for the bar, which reads it with getattr
    return draft

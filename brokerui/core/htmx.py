"""Requests that htmx makes for a piece of a page."""

from __future__ import annotations

from django.http import HttpRequest
from django_htmx.middleware import HtmxDetails


def htmx_of(request: HttpRequest) -> HtmxDetails:
    """Return the details of the middleware; all false for a request that htmx did not send."""
    details: HtmxDetails = request.htmx  # type: ignore[attr-defined]  # the middleware puts it there
    return details


def wants_piece(request: HttpRequest) -> bool:
    """Whether the request is for a part of a page. A step back in the history comes from htmx too, but needs the whole
    page."""
    htmx = htmx_of(request)
    return bool(htmx) and not htmx.history_restore_request

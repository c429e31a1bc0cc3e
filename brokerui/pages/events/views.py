"""Exceptional events: the list and its file."""

from __future__ import annotations

from functools import partial

from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.views.decorators.http import require_safe

from brokerui.pages.events import listing
from brokerui.pages.shell.live import live, live_csv, varies_by_htmx


@require_safe
@varies_by_htmx
def events(request: HttpRequest) -> HttpResponse:
    """The list, the latest first; htmx asks for the piece of it that changes."""
    return live(request, "events", partial(listing.page_context, request.GET))


@require_safe
def events_csv(request: HttpRequest) -> HttpResponseBase:
    """The rows of the list as a file."""
    return live_csv(request, "events.csv", listing.COLUMNS, listing.as_rows, listing.TABLE)

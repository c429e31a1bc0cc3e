"""Forwarding: the page and its file."""

from __future__ import annotations

from functools import partial

from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.views.decorators.http import require_safe

from brokerui.pages.forwarding import page
from brokerui.pages.shell.live import live, live_csv, varies_by_htmx


@require_safe
@varies_by_htmx
def forwarding(request: HttpRequest) -> HttpResponse:
    """The page; htmx asks for the piece of it that changes."""
    return live(request, "forwarding", partial(page.page_context, request.GET), stamp=page.of_redis)


@require_safe
def forwarding_csv(request: HttpRequest) -> HttpResponseBase:
    """The chart of the page as a file."""
    return live_csv(request, "forwarding.csv", page.COLUMNS, page.as_rows)

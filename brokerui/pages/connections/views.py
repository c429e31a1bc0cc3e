"""Connections of the hosted instances."""

from __future__ import annotations

from functools import partial

from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.views.decorators.http import require_safe

from brokerui.messaging.broker_cache import hosted_names
from brokerui.pages.connections import page
from brokerui.pages.shell.live import live, live_csv, varies_by_htmx


@require_safe
@varies_by_htmx
def connections(request: HttpRequest) -> HttpResponse:
    """The page; htmx asks for the piece of it that changes."""
    hosted = hosted_names()
    context = partial(page.page_context, request.GET, hosted)
    return live(request, "connections", context, stamp=partial(page.of_redis, hosted))


@require_safe
def connections_csv(request: HttpRequest) -> HttpResponseBase:
    """The rows of the page as a file."""
    return live_csv(request, "connections.csv", page.COLUMNS, page.as_rows, page.TABLE)

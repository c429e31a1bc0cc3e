"""Delayed conversations by cause: the page and its file."""

from __future__ import annotations

from functools import partial

from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.views.decorators.http import require_safe

from brokerui.pages.delayed import page
from brokerui.pages.delayed.collected import has_collected
from brokerui.pages.shell.live import live, live_csv, varies_by_htmx


@require_safe
@varies_by_htmx
def delayed(request: HttpRequest) -> HttpResponse:
    """The page; htmx asks for the piece of it that changes."""
    return live(request, "delayed", partial(page.page_context, request.GET), has_collected)


@require_safe
def delayed_csv(request: HttpRequest) -> HttpResponseBase:
    """The rows of the page as a file."""
    return live_csv(request, "delayed.csv", page.COLUMNS, page.as_rows, page.GROUPS)

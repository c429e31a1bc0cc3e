"""Mirrors: which partner of each mirrored database is the principal."""

from __future__ import annotations

from functools import partial

from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.views.decorators.http import require_safe

from brokerui.pages.mirrors import page
from brokerui.pages.shell.live import live, live_csv, varies_by_htmx


@require_safe
@varies_by_htmx
def mirrors(request: HttpRequest) -> HttpResponse:
    """The page; htmx asks for the piece of it that changes."""
    return live(request, "mirrors", partial(page.page_context, request.GET))


@require_safe
def mirrors_csv(request: HttpRequest) -> HttpResponseBase:
    """The rows of the page as a file."""
    return live_csv(request, "mirrors.csv", page.COLUMNS, page.as_rows)

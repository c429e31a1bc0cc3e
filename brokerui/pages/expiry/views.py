"""Expiry: the page and its file."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import render
from django.views.decorators.http import require_safe

from brokerui.pages.expiry import page
from brokerui.pages.shell.live import live_csv


@require_safe
def expiry(request: HttpRequest) -> HttpResponse:
    """The page."""
    return render(request, "expiry/expiry.html", page.page_context(request.GET))


@require_safe
def expiry_csv(request: HttpRequest) -> HttpResponseBase:
    """The rows of the page as a file."""
    return live_csv(request, "expiry.csv", page.COLUMNS, page.as_rows, page.TABLE)

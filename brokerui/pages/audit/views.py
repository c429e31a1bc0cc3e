"""The audit: a page and a file."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import render
from django.views.decorators.http import require_safe

from brokerui.accounts.access import access
from brokerui.accounts.levels import Level
from brokerui.pages.audit import listing
from brokerui.pages.shell.live import live_csv


@access(read=Level.EDIT)
@require_safe
def audit(request: HttpRequest) -> HttpResponse:
    """The entries, the latest first."""
    return render(request, "audit/audit.html", listing.page_context(request.GET.dict()))


@access(read=Level.EDIT)
@require_safe
def audit_csv(request: HttpRequest) -> HttpResponseBase:
    """Each changed field of the same entries as a line."""
    return live_csv(request, "audit.csv", listing.COLUMNS, listing.as_rows, listing.TABLE)

"""The effect of a draft: the line that says it, and the page that lists it."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_safe
from django.views.decorators.vary import vary_on_headers

from brokerui.accounts.access import access
from brokerui.accounts.levels import Level
from brokerui.analysis.effect.change import change_of
from brokerui.analysis.effect.effect import effect_shown
from brokerui.core.htmx import wants_piece
from brokerui.core.paging import page_number
from brokerui.pages.changes.effect_line import effect_line_of
from brokerui.pages.changes.effect_page import ALL, SHOWS, EffectPage
from brokerui.pages.changes.viewed_draft import draft_of

PAGE_S = 1.0
"""Seconds that a page works on an effect before it shows how far it came."""


@access(write=Level.VIEW, stores=False)
@require_http_methods(["GET", "HEAD", "POST"])
def effect_line(request: HttpRequest, number: int) -> HttpResponse:
    """Show what the draft changes for all conversations, or (POST `edits`) what further edits would change of it."""
    line = effect_line_of(request, draft_of(request, number))
    return render(request, "changes/effect_line.html", {"line": line, "draft": line.draft})


@require_safe
@vary_on_headers("HX-Request", "HX-History-Restore-Request")
def effect(request: HttpRequest, number: int) -> HttpResponse:
    """Every kind of conversation that the draft changes, worst first."""
    draft, at, query = draft_of(request, number), timezone.now(), request.GET
    show = query.get("show", ALL)
    found, job = effect_shown(change_of(draft), at, PAGE_S)
    page = EffectPage(
        draft,
        found,
        at,
        show if show in SHOWS else ALL,
        page_number(query.get("page", "")),
        query.get("row", ""),
        job,
    )
    template = "changes/_effect.html" if wants_piece(request) else "changes/effect.html"
    return render(request, template, {"page": page, "draft": draft})

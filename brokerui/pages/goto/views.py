"""Go to: a page of its own, and the piece that the dialog of every page asks for while its reader types."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe
from django.views.decorators.vary import vary_on_headers

from brokerui.core.htmx import wants_piece
from brokerui.pages.goto.places import LONGEST, places_for


@require_safe
@vary_on_headers("HX-Request")
def goto(request: HttpRequest) -> HttpResponse:
    """The page; asked by its script: the places alone."""
    text = request.GET.get("q", "")[:LONGEST].replace("\0", "")
    context = {"q": text, "groups": places_for(request, text), "longest": LONGEST}
    return render(request, "goto/_places.html" if wants_piece(request) else "goto/goto.html", context)

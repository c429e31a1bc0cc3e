"""The question before a save that makes conversations worse, for acts that have no form of their own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from brokerui.analysis.effect.consent import SavePreview

OWN: Final = ("csrfmiddlewaretoken", "consent", "is_asked")
"""Fields that the question has itself."""


@dataclass(frozen=True, slots=True)
class SaveQuestion:
    """The words around a preview."""

    title: str
    text: str
    """Consequences of the save; empty where the title says enough."""
    does: str
    """Label of the button."""
    back: str
    """Address that the user returns to without saving."""


def confirm_save(request: HttpRequest, question: SaveQuestion, preview: SavePreview) -> HttpResponse:
    """Show what gets worse; the button sends the same request again, with the tick."""
    sent = [(name, value) for name, value in request.POST.items() if name not in OWN]
    was_asked = "is_asked" in request.POST
    context = {"question": question, "save": preview, "sent": sent, "is_missing": was_asked}
    return render(request, "components/confirm_save.html", context, status=422 if was_asked else 200)

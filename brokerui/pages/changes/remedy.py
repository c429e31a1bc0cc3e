"""A remedy as a draft: one click makes a draft with its edits, or adds them to the draft that the page shows."""

from __future__ import annotations

import json
from typing import Any

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from brokerui.accounts.access import access
from brokerui.accounts.levels import Level
from brokerui.analysis.remedies.remedy_edits import remedy_edits
from brokerui.changes.models import NAME
from brokerui.changes.selectors import draft_estate
from brokerui.changes.services import draft_create, edits_append
from brokerui.changes.splice import Edits
from brokerui.estate.selectors import LiveEstate, estate_current
from brokerui.pages.changes.viewed_draft import draft_of
from brokerui.pages.changes.writing import REFUSALS, refusal
from brokerui.pages.tables.row_page import next_page
from routing.model.estate import INSTANCE_NAME_CHARS

SQL = 20_000
"""Characters of a remedy."""


class RemedyForm(forms.Form):
    """A remedy as the page has it, and the draft that it is for."""

    remedy = forms.JSONField()
    draft = forms.IntegerField(min_value=1, required=False)
    revision = forms.IntegerField(min_value=1, required=False)

    def clean_remedy(self) -> dict[str, str]:
        """Take the instance, its T-SQL, and what it is about."""
        value: Any = self.cleaned_data["remedy"]
        limits = {"instance": INSTANCE_NAME_CHARS, "sql": SQL, "about": NAME}
        known = value if isinstance(value, dict) else {}
        if not all(isinstance(known.get(name), str) and len(known[name]) <= most for name, most in limits.items()):
            raise forms.ValidationError(_("That is no remedy of a page."))
        return {name: known[name] for name in limits}


def remedy_json(instance: str, sql: str, about: str) -> str:
    """Return the value of a button for a remedy."""
    return json.dumps({"instance": instance, "sql": sql, "about": about[:NAME]})


@access(write=Level.EDIT)
@require_POST
def remedy(request: HttpRequest) -> HttpResponse:
    """Make a draft with the edits of a remedy, and open it."""
    form = RemedyForm(request.POST)
    back = next_page(request) or reverse("findings:list")
    if not form.is_valid():
        messages.warning(request, _("That is no remedy of a page."))
        return redirect(back)
    number, revision = form.cleaned_data["draft"], form.cleaned_data["revision"] or 0
    try:
        if number:
            return _added(request, number, revision, form.cleaned_data["remedy"], back)
        return _made(request, form.cleaned_data["remedy"], back)
    except REFUSALS as error:
        messages.warning(request, refusal(error))
        return redirect(back)


def _made(request: HttpRequest, remedy: dict[str, str], back: str) -> HttpResponse:
    edits = _edits(estate_current(), remedy)
    if not edits:
        return _nothing(request, back)
    name = _("Remedy: %(about)s") % {"about": remedy["about"]}
    draft = draft_create(name=name[:NAME], edits=edits, author=request.user.get_username())
    return redirect("changes:effect", draft.id)


def _added(request: HttpRequest, number: int, revision: int, remedy: dict[str, str], back: str) -> HttpResponse:
    draft = draft_of(request, number)
    edits = _edits(draft_estate(draft), remedy)
    if not edits:
        return _nothing(request, back)
    edits_append(number=number, revision=revision, edits=edits, author=request.user.get_username())
    messages.success(request, _("The remedy is in the draft."))
    return redirect(back)


def _edits(estate: LiveEstate, remedy: dict[str, str]) -> Edits:
    return remedy_edits(estate.estate, remedy["instance"], remedy["sql"], timezone.now())


def _nothing(request: HttpRequest, back: str) -> HttpResponse:
    messages.warning(request, _("This remedy changes nothing here any more, or cannot be run. Nothing was written."))
    return redirect(back)

"""Copying edits of a draft: into another open draft, or into a new one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_POST

from brokerui.accounts.access import access
from brokerui.accounts.levels import Level
from brokerui.changes.errors import DraftNotFoundError
from brokerui.changes.models import NAME, DraftState, SavedDraft
from brokerui.changes.selectors import draft_edits, draft_get, draft_list
from brokerui.changes.services import draft_create, edits_append
from brokerui.pages.changes.viewed_draft import draft_of
from brokerui.pages.changes.writing import REFUSALS, refusal
from routing.common.errors import Invalid
from routing.model.estate import Edit

OFFERED: Final = 50
"""Open drafts that the form offers, the newest ones."""


class CopyForm(forms.Form):
    """The draft that takes the edits; none: a new one."""

    to = forms.IntegerField(min_value=1, required=False)


def drafts_to_copy_to(draft: SavedDraft) -> list[SavedDraft]:
    """Return the other open drafts, newest first."""
    found = draft_list(state=DraftState.DRAFT, limit=OFFERED + 1)
    return [one for one in found if one.id != draft.id][:OFFERED]


@access(write=Level.EDIT)
@require_POST
def change_copy(request: HttpRequest, number: int) -> HttpResponse:
    """Add edits of this draft after those of another one; the ticked ones, or all where none is ticked."""
    draft, form = draft_of(request, number), CopyForm(request.POST)
    edits = _chosen(draft, request.POST.getlist("index"))
    if not form.is_valid() or not edits:
        messages.warning(request, _("There is no such draft or edit. Nothing was written."))
        return redirect("changes:change", number)
    try:
        written = _copied(draft, edits, form.cleaned_data["to"], request.user.get_username())
    except DraftNotFoundError:
        messages.warning(request, _("There is no such draft or edit. Nothing was written."))
        return redirect("changes:change", number)
    except REFUSALS as error:
        messages.warning(request, _unfit(error) if isinstance(error, Invalid) else refusal(error))
        return redirect("changes:change", number)
    text = ngettext("%(n)s edit is copied into this draft.", "%(n)s edits are copied into this draft.", len(edits))
    messages.success(request, text % {"n": len(edits)})
    return redirect("changes:change", written.id)


def _chosen(draft: SavedDraft, ticked: Sequence[str]) -> list[Edit]:
    edits = draft_edits(draft)
    return [edit for index, edit in enumerate(edits) if not ticked or str(index) in ticked]


def _copied(draft: SavedDraft, edits: Sequence[Edit], number: int | None, author: str) -> SavedDraft:
    if number is None:
        name = _("Copy of %(name)s") % {"name": draft.name}
        return draft_create(name=name[:NAME], author=author, edits=edits)
    target = draft_get(number)
    return edits_append(number=target.id, revision=target.revision, edits=edits, author=author)


def _unfit(error: Invalid) -> str:
    """Say which edit the estate of the other draft cannot take."""
    detail = {"path": error.path, "problem": error.problem.render(_)}
    return _("The other draft cannot take these edits: %(path)s: %(problem)s. Nothing was written.") % detail

"""Writes of a draft that a panel asks for: one service call, and the answer to it."""

from __future__ import annotations

from urllib.parse import urlencode

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django_htmx.http import reswap, retarget, trigger_client_event

from brokerui.changes.errors import (
    DraftClosedError,
    DraftStaleError,
    NoStepError,
    TooManyEditsError,
)
from brokerui.changes.models import SavedDraft
from brokerui.core.htmx import wants_piece
from brokerui.pages.changes.forms import StepForm
from routing.common.errors import Invalid

REFUSALS = (DraftStaleError, DraftClosedError, NoStepError, TooManyEditsError, Invalid)
"""The errors that a service raises instead of writing."""


def revision_sent(request: HttpRequest) -> int:
    """Return the revision of the draft that the user has seen; 0: none was sent, and no draft has it."""
    form = StepForm(request.POST)
    return form.cleaned_data["revision"] if form.is_valid() else 0


def status_of(error: Exception) -> int:
    """Return the status of the answer to a write that was refused."""
    return 422 if isinstance(error, Invalid | TooManyEditsError) else 409


def refusal(error: Exception) -> str:
    """Say why nothing was written."""
    match error:
        case DraftStaleError():
            return _("Somebody edited this draft after you opened it. Nothing of yours was written: look at it again.")
        case DraftClosedError():
            return _("This draft is closed: it takes no edits.")
        case NoStepError(is_redo=True):
            return _("There is nothing to redo.")
        case NoStepError():
            return _("There is nothing to undo.")
        case TooManyEditsError():
            most = ngettext(
                "At most %(n)s edit fits into a draft.", "At most %(n)s edits fit into a draft.", error.limit
            )
            return most % {"n": error.limit}
        case Invalid():
            detail = {"path": error.path, "problem": error.problem.render(_)}
            return _("The draft cannot take it: %(path)s: %(problem)s. Nothing was written.") % detail
    raise TypeError(type(error))


def map_url(number: int, select: str = "") -> str:
    """Return the address of the map of a draft, with something selected."""
    query = {"draft": str(number), **({"select": select} if select else {})}
    return f"{reverse('map:map')}?{urlencode(query)}"


def after_write(request: HttpRequest, draft: SavedDraft, select: str = "") -> HttpResponse:
    """Tell a script that the draft was written; without scripts go on to the map."""
    url = map_url(draft.id, select)
    if not wants_piece(request):
        return redirect(url)
    detail = {"draft": draft.id, "revision": draft.revision, "select": select, "url": url}
    return trigger_client_event(HttpResponse(status=204), "draft:written", detail)


def refused_act(request: HttpRequest, draft: SavedDraft, error: Exception) -> HttpResponse:
    """Say above the panel why nothing was written; without scripts on the map."""
    if not wants_piece(request):
        messages.warning(request, refusal(error))
        return redirect(map_url(draft.id))
    answer = render(request, "changes/_refused.html", {"refused": refusal(error)}, status=status_of(error))
    return reswap(retarget(answer, "#panel"), "afterbegin")


__all__ = ["REFUSALS", "after_write", "map_url", "refusal", "refused_act", "revision_sent", "status_of"]

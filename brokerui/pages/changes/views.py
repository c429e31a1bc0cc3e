"""The pages of drafts: all of them, and one with its edits."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from brokerui.accounts.access import access
from brokerui.accounts.levels import Level, may
from brokerui.changes import services
from brokerui.changes.errors import DraftNotFoundError
from brokerui.changes.models import SavedDraft
from brokerui.changes.selectors import LISTED, draft_edits, draft_info, draft_list
from brokerui.core.htmx import wants_piece
from brokerui.core.paging import page_number
from brokerui.pages.changes.copying import drafts_to_copy_to
from brokerui.pages.changes.forms import NewDraftForm, StepForm
from brokerui.pages.changes.page import DraftPage, without
from brokerui.pages.changes.viewed_draft import draft_of
from brokerui.pages.changes.writing import REFUSALS, after_write, refusal, refused_act, revision_sent
from brokerui.pages.tables.row_page import next_page
from routing.common.errors import Invalid


@access(write=Level.EDIT)
@require_http_methods(["GET", "HEAD", "POST"])
def change_list(request: HttpRequest) -> HttpResponse:
    """All drafts, newest first; a name that is sent begins one."""
    form = NewDraftForm(request.POST if request.method == "POST" else None)
    if form.is_bound and form.is_valid():
        draft = services.draft_create(name=form.cleaned_data["name"], author=request.user.get_username())
        if form.cleaned_data["on_map"]:
            return redirect(f"{reverse('map:map')}?draft={draft.id}")
        return redirect("changes:change", draft.id)
    before = request.GET.get("before", "")
    drafts = draft_list(before=page_number(before) if before else None, limit=LISTED + 1)
    context = {
        "drafts": [(draft, draft_info(draft)) for draft in drafts[:LISTED]],
        "older": drafts[LISTED - 1].id if len(drafts) > LISTED else None,
        "form": form,
    }
    return render(request, "changes/list.html", context, status=422 if form.errors else 200)


@require_safe
def change_detail(request: HttpRequest, number: int) -> HttpResponse:
    """One draft with its edits in words."""
    page = DraftPage(draft_of(request, number), page_number(request.GET.get("page", "")))
    context = {"page": page, "draft": page.draft}
    if may(request.user, Level.EDIT) and page.draft.edit_count:
        context["copy_to"] = drafts_to_copy_to(page.draft)
    return render(request, "changes/change.html", context)


@access(write=Level.EDIT)
@require_POST
def change_undo(request: HttpRequest, number: int) -> HttpResponse:
    """Take back the last step."""
    return _written(request, number, services.draft_undo)


@access(write=Level.EDIT)
@require_POST
def change_redo(request: HttpRequest, number: int) -> HttpResponse:
    """Make the step again that was taken back last."""
    return _written(request, number, services.draft_redo)


@access(write=Level.EDIT)
@require_POST
def change_discard(request: HttpRequest, number: int) -> HttpResponse:
    """Close the draft."""
    return _written(request, number, services.draft_discard)


@access(write=Level.EDIT)
@require_POST
def change_remove(request: HttpRequest, number: int) -> HttpResponse:
    """Take one edit out of the list."""
    draft, form = draft_of(request, number), StepForm(request.POST)
    index = form.cleaned_data["index"] if form.is_valid() else None
    if index is None or index >= draft.edit_count:
        messages.warning(request, _("There is no such edit any more. Nothing was written."))
        return redirect("changes:change", number)
    return _written(request, number, services.edits_replace, edits=without(draft_edits(draft), index))


def _written(request: HttpRequest, number: int, service: Callable[..., SavedDraft], **values: Any) -> HttpResponse:
    """Call a service for the revision that the user has seen, and show the draft; say why where it is refused."""
    try:
        written = service(number=number, revision=revision_sent(request), author=request.user.get_username(), **values)
    except DraftNotFoundError:
        raise Http404 from None
    except REFUSALS as error:
        if wants_piece(request):
            return refused_act(request, draft_of(request, number), error)
        messages.warning(request, _needed(error) if isinstance(error, Invalid) else refusal(error))
    else:
        if wants_piece(request):
            return after_write(request, written)
    return redirect(next_page(request) or reverse("changes:change", args=[number]))


def _needed(error: Invalid) -> str:
    """Say that an edit cannot be taken out, since a later one needs it."""
    detail = {"path": error.path, "problem": error.problem.render(_)}
    return _("Later edits need this one: %(path)s: %(problem)s. Nothing was written.") % detail

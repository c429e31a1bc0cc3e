"""The page of a review, and the buttons on it."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from brokerui.accounts.access import access
from brokerui.accounts.levels import Level
from brokerui.analysis.effect import saving
from brokerui.analysis.effect.consent import ConsentMissingError
from brokerui.changes import applying, rebasing, review
from brokerui.changes.applying import Confirmation
from brokerui.changes.errors import DraftNotFoundError, DraftStaleError
from brokerui.changes.models import SavedDraft
from brokerui.changes.review_wording import REVIEW_REFUSALS, review_refusal
from brokerui.pages.changes.forms import ApplyForm, CommentForm
from brokerui.pages.changes.review_page import BOTH, SQL, WORDS, ReviewPage
from brokerui.pages.changes.viewed_draft import draft_of
from brokerui.pages.changes.writing import refusal, revision_sent

Write = Callable[..., SavedDraft]


@require_safe
def change_review(request: HttpRequest, number: int) -> HttpResponse:
    """Show the edits and T-SQL for each server, the comments, and the steps that may follow."""
    shown = request.GET.get("show", BOTH)
    page = ReviewPage(draft_of(request, number), request.user.get_username(), shown if shown in (WORDS, SQL) else BOTH)
    return _shown(request, page, ApplyForm())


def _shown(request: HttpRequest, page: ReviewPage, form: ApplyForm, status: int = 200) -> HttpResponse:
    context = {"page": page, "draft": page.draft, "form": form, "ticked": request.POST.get("consent", "")}
    return render(request, "changes/review.html", context, status=status)


@access(write=Level.EDIT)
@require_POST
def change_submit(request: HttpRequest, number: int) -> HttpResponse:
    """Hand a draft over for review."""
    return _commented(request, number, review.draft_submit)


@access(write=Level.EDIT)
@require_POST
def change_approve(request: HttpRequest, number: int) -> HttpResponse:
    """Approve it."""
    return _commented(request, number, review.draft_approve)


@access(write=Level.EDIT)
@require_POST
def change_reject(request: HttpRequest, number: int) -> HttpResponse:
    """Reject it."""
    return _commented(request, number, review.draft_reject)


@access(write=Level.EDIT)
@require_POST
def change_reopen(request: HttpRequest, number: int) -> HttpResponse:
    """Let its edits be changed again."""
    return _commented(request, number, review.draft_reopen)


@access(write=Level.EDIT)
@require_POST
def change_comment(request: HttpRequest, number: int) -> HttpResponse:
    """Say something about it, or about one of its edits."""
    form = CommentForm(request.POST)
    if not form.is_valid() or not form.cleaned_data["comment"]:
        messages.warning(request, _("A comment needs some text of at most 4,000 characters. Nothing was written."))
        return redirect("changes:review", number)
    comment, edit = form.cleaned_data["comment"], form.cleaned_data["index"]
    return _written(request, number, review.draft_comment, comment=comment, edit=edit)


@access(write=Level.EDIT)
@require_POST
def change_rebase(request: HttpRequest, number: int) -> HttpResponse:
    """Move it onto the live version."""
    return _written(request, number, rebasing.draft_rebase)


@access(write=Level.EDIT)
@require_POST
def change_apply(request: HttpRequest, number: int) -> HttpResponse:
    """Write it into the live estate, for good or until it is confirmed."""
    form = ApplyForm(request.POST)
    if not form.is_valid():
        for faults in form.errors.values():
            messages.warning(request, str(faults[0]))
        return redirect("changes:review", number)
    consent = form.cleaned_data["consent"]
    try:
        return _written(request, number, saving.draft_apply, confirmation=_confirmation(form), consent=consent)
    except ConsentMissingError as error:
        return _not_confirmed(request, number, error, form)


@access(write=Level.EDIT)
@require_POST
def change_confirm(request: HttpRequest, number: int) -> HttpResponse:
    """Keep it."""
    return _written(request, number, applying.draft_confirm)


@access(write=Level.EDIT)
@require_POST
def change_rollback(request: HttpRequest, number: int) -> HttpResponse:
    """Take it back."""
    consent = request.POST.get("consent", "")
    try:
        return _commented(request, number, saving.draft_roll_back, consent=consent)
    except ConsentMissingError as error:
        return _not_confirmed(request, number, error, ApplyForm())


def _not_confirmed(request: HttpRequest, number: int, error: ConsentMissingError, form: ApplyForm) -> HttpResponse:
    """Show what gets worse: nothing is written until somebody has confirmed it."""
    page = ReviewPage(draft_of(request, number), request.user.get_username(), refused=error.preview)
    return _shown(request, page, form, status=422)


def _confirmation(form: ApplyForm) -> Confirmation | None:
    values = form.cleaned_data
    if not values["confirm"]:
        return None
    return Confirmation(timedelta(minutes=values["minutes"]), values["delayed_limit"], values["depth_limit"])


def _commented(request: HttpRequest, number: int, service: Write, **values: Any) -> HttpResponse:
    """Call a service with the comment that came with the button."""
    form = CommentForm(request.POST)
    if not form.is_valid():
        messages.warning(request, _("A comment has at most 4,000 characters. Nothing was written."))
        return redirect("changes:review", number)
    return _written(request, number, service, comment=form.cleaned_data["comment"], **values)


def _written(request: HttpRequest, number: int, service: Write, **values: Any) -> HttpResponse:
    """Call a service for the revision that the user has seen, and show the review; say why where it is refused."""
    try:
        service(number=number, revision=revision_sent(request), author=request.user.get_username(), **values)
    except DraftNotFoundError:
        raise Http404 from None
    except DraftStaleError as error:
        messages.warning(request, refusal(error))
    except REVIEW_REFUSALS as error:
        messages.warning(request, review_refusal(error).render(_))
    return redirect("changes:review", number)

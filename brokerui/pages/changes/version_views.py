"""The page of one version of the live estate, and the button that restores it as a draft."""

from __future__ import annotations

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from brokerui.accounts.access import access
from brokerui.accounts.levels import Level
from brokerui.changes.errors import NothingToRestoreError, TooManyEditsError
from brokerui.changes.review_wording import review_refusal
from brokerui.changes.services import draft_from_version
from brokerui.estate.errors import VersionNotFoundError
from brokerui.estate.models import Version
from brokerui.estate.selectors import version_list
from brokerui.pages.changes.forms import CompareForm
from brokerui.pages.changes.version_page import OBJECTS, SQL, WORDS, VersionPage
from brokerui.pages.changes.writing import refusal


@require_safe
def version(request: HttpRequest, number: int) -> HttpResponse:
    """Show what differs in a version from the one before, or from the version `against`."""
    found = _version(number)
    form = CompareForm(request.GET)
    against = form.cleaned_data["against"] if form.is_valid() else None
    shown = request.GET.get("show", WORDS)
    page = VersionPage(found, number - 1 if against is None else against, shown if shown in (SQL, OBJECTS) else WORDS)
    status = 200 if form.is_valid() else 404
    return render(request, "changes/version.html", {"page": page, "version": found, "form": form}, status=status)


@access(write=Level.EDIT)
@require_POST
def version_restore(request: HttpRequest, number: int) -> HttpResponse:
    """Begin a draft that gives the live estate what it had in this version."""
    try:
        draft = draft_from_version(version=number, author=request.user.get_username())
    except VersionNotFoundError:
        raise Http404 from None
    except NothingToRestoreError as error:
        messages.warning(request, review_refusal(error).render(_))
        return redirect("changes:version", number)
    except TooManyEditsError as error:
        messages.warning(request, refusal(error))
        return redirect("changes:version", number)
    return redirect("changes:change", draft.id)


def _version(number: int) -> Version:
    """Return a version without what it holds; 404 where there is none."""
    found = version_list(before=number + 1, limit=1)
    if not found or found[0].number != number:
        raise Http404
    return found[0]

"""The page of the T-SQL of a draft."""

from __future__ import annotations

import json
from datetime import datetime
from typing import Any
from urllib.parse import urlencode

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST

from brokerui.accounts.access import access
from brokerui.accounts.levels import Level
from brokerui.changes.draft_sql import SqlWritten, sql_read, sql_replace
from brokerui.changes.errors import SqlRefusedError
from brokerui.pages.changes.forms import SqlForm
from brokerui.pages.changes.sql_page import SqlPage
from brokerui.pages.changes.viewed_draft import draft_of
from brokerui.pages.changes.writing import REFUSALS, refusal, status_of
from routing.common.errors import InputError, Invalid
from routing.common.sentence import say
from routing.documents.edits_json import edits_as_json
from routing.model.estate import Edit


@access(write=Level.EDIT)
@require_http_methods(["GET", "HEAD", "POST"])
def draft_sql(request: HttpRequest, number: int) -> HttpResponse:
    """Show the script of an instance; POST lets the edits of the draft be what the script says for it."""
    page = SqlPage(draft_of(request, number), request.GET.get("instance", ""))
    if request.method != "POST":
        return _page(request, page)
    form = SqlForm(request.POST)
    _read(request, page)
    if not form.is_valid():
        page.problems = [(None, say("the name of the instance or a character of the script cannot be stored"))]
        return _page(request, page, status=422)
    return _write(request, page, form.cleaned_data["revision"])


def _read(request: HttpRequest, page: SqlPage) -> None:
    page.instance_sent = request.POST.get("instance", "")
    page.typed = request.POST.get("sql", "").replace("\r\n", "\n")


@access(write=Level.VIEW, stores=False)
@require_POST
def draft_sql_preview(request: HttpRequest, number: int) -> HttpResponse:
    """Return what a typed script would add to the draft, or why it is refused."""
    page = SqlPage(draft_of(request, number))
    _read(request, page)
    edits: tuple[Edit, ...] = ()
    try:
        edits = sql_read(page.draft, page.instance, page.typed or "", _now()).further
    except SqlRefusedError as error:
        page.problems = [(finding.line, finding.reason) for finding in error.findings]
    except (InputError, Invalid) as error:
        page.problems = [(None, error.problem)]
    context = {"page": page, "edits": json.dumps(list(edits_as_json(edits)))}
    return render(request, "changes/_sql_preview.html", context)


def _now() -> datetime:
    return timezone.now().replace(microsecond=0)


def _write(request: HttpRequest, page: SqlPage, revision: int) -> HttpResponse:
    try:
        written = sql_replace(
            number=page.draft.id,
            revision=revision,
            instance=page.instance,
            sql=page.typed or "",
            at=_now(),
            author=request.user.get_username(),
        )
    except SqlRefusedError as error:
        page.problems = [(finding.line, finding.reason) for finding in error.findings]
        return _page(request, page, status=422)
    except (InputError, Invalid) as error:
        page.problems = [(None, error.problem)]
        return _page(request, page, status=422)
    except REFUSALS as error:
        page.draft = draft_of(request, page.draft.id)
        return _page(request, page, status=status_of(error), refused=refusal(error))
    return _written(request, page, written, revision)


def _written(request: HttpRequest, page: SqlPage, written: SqlWritten, revision: int) -> HttpResponse:
    """Go on to the script as the draft has it now; show the typed text again where statements were left out."""
    is_same = written.draft.revision == revision
    notice = _("The script says what the draft has already.") if is_same else _("The script was saved as one step.")
    if not written.unsupported:
        messages.success(request, notice)
        return redirect(f"{request.path}?{urlencode({'instance': page.instance})}")
    after = SqlPage(draft_of(request, page.draft.id), page.instance, page.typed, unsupported=written.unsupported)
    return _page(request, after, saved=notice)


def _page(request: HttpRequest, page: SqlPage, *, status: int = 200, **more: Any) -> HttpResponse:
    return render(request, "changes/sql.html", {"page": page, "draft": page.draft, **more}, status=status)

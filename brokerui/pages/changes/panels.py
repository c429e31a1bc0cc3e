"""Parts of a draft's panel besides its forms: acts, findings that remain, and single edits as T-SQL."""

from __future__ import annotations

import json

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from brokerui.accounts.access import access
from brokerui.accounts.levels import Level
from brokerui.changes import services
from brokerui.changes.estate_view import estate_view_from
from brokerui.pages.changes.draft_panel import mendings, sql_of_edit
from brokerui.pages.changes.viewed_draft import draft_of
from brokerui.pages.changes.writing import REFUSALS, after_write, refused_act, revision_sent
from routing.common.errors import Invalid
from routing.common.sentence import say
from routing.documents.edits_json import edits_from
from routing.model.edits import SetHopLimit
from routing.model.estate import MAX_HOP_LIMIT, Edit


@access(write=Level.EDIT)
@require_POST
def add(request: HttpRequest, number: int) -> HttpResponse:
    """Add the edits of an act to the draft (`edits`, as REST takes them), or a hop limit."""
    draft = draft_of(request, number)
    try:
        limit = request.POST.get("hop_limit")
        edits = _hop_limit(limit) if limit is not None else _edits(request.POST.get("edits", ""))
        written = services.edits_append(
            number=draft.id, revision=revision_sent(request), edits=edits, author=request.user.get_username()
        )
    except REFUSALS as error:
        return refused_act(request, draft, error)
    return after_write(request, written, request.POST.get("select", ""))


@require_safe
def findings(request: HttpRequest, number: int) -> HttpResponse:
    """The findings that remain in the draft, each with its remedy as edits. Remedies are tried for up to a second."""
    draft = draft_of(request, number)
    viewed = estate_view_from({"draft": str(number)})
    found, report = mendings(viewed, _("Mend"))
    context = {
        "found": found,
        "report": report,
        "draft": draft,
        "viewed": viewed,
        "more": len(report.findings) - len(found),
    }
    return render(request, "changes/_findings.html", context)


@require_safe
def edit_sql(request: HttpRequest, number: int, index: int) -> HttpResponse:
    """One edit of the draft as T-SQL."""
    draft = draft_of(request, number)
    try:
        sql = sql_of_edit(draft, index, estate_view_from({"draft": str(number)}))
    except IndexError:
        raise Http404 from None
    return render(request, "changes/_edit_sql.html", {"form": {"sql": sql, "edits": (index,)}})


def _hop_limit(text: str) -> tuple[Edit, ...]:
    """The hop limit is of the whole estate: nothing on the map stands for it."""
    if not (text.isascii() and text.isdecimal() and len(text) <= 3):
        raise Invalid("hop_limit", say("must be 0 to {limit}", limit=MAX_HOP_LIMIT))
    return (SetHopLimit(int(text)),)


def _edits(text: str) -> tuple[Edit, ...]:
    try:
        return edits_from(json.loads(text))
    except (json.JSONDecodeError, RecursionError):
        raise Invalid("edits", say("must be a JSON array")) from None

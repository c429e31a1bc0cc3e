"""The rounds of the pipeline, its results, and what each of them found."""

from __future__ import annotations

from django.conf import settings
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase, StreamingHttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe
from django.views.decorators.vary import vary_on_headers
from django_htmx.http import HttpResponseClientRefresh

from brokerui.accounts.access import access
from brokerui.accounts.levels import Level
from brokerui.analysis.traffic.generated import can_generate
from brokerui.analysis.traffic.jobs import has_sources
from brokerui.analysis.traffic.models import Round, Run
from brokerui.analysis.traffic.models.rounds import OPEN
from brokerui.analysis.traffic.rounds import (
    NothingToTakeInError,
    round_ask,
    round_ask_generated,
    round_cancel,
    round_open,
)
from brokerui.analysis.traffic.selectors import files_of, rows_of
from brokerui.analysis.traffic.tables import TABLES
from brokerui.analysis.traffic.waiting_rounds import worker_missing
from brokerui.core.csv import csv_lines
from brokerui.core.htmx import wants_piece
from brokerui.pages.traffic.generated_run import compared_names
from brokerui.pages.traffic.round_on_page import rounds_shown, shown
from brokerui.pages.traffic.run_list import runs_context
from brokerui.pages.traffic.run_summary import context_of_run

INPUTS = 20
"""That are listed."""


@require_safe
def runs(request: HttpRequest) -> HttpResponse:
    """The rounds, and all results."""
    rounds = rounds_shown()
    latest = rounds[0] if rounds else None
    is_under_way = any(one.round.state in OPEN for one in rounds)
    has_own, can_try = has_sources(), can_generate()
    context = {
        **runs_context(request.GET.dict()),
        "rounds": rounds,
        "latest": latest,
        "is_open": latest is not None and latest.is_open,
        "is_under_way": is_under_way,
        "has_sources": has_own,
        "pipeline_minutes": settings.PIPELINE_MINUTES,
        "can_generate": can_try,
        "missing": worker_missing() if (has_own or can_try) and not is_under_way else None,
    }
    return render(request, "traffic/runs.html", context)


@require_safe
@vary_on_headers("HX-Request")
def round_page(request: HttpRequest, number: int) -> HttpResponse:
    """A round; asked by htmx while it is under way: how far it is."""
    found = shown(get_object_or_404(Round, pk=number))
    if not wants_piece(request):
        return render(request, "traffic/round.html", {"shown": found})
    if not found.is_open:
        return HttpResponseClientRefresh()
    return render(request, "traffic/_round.html", {"shown": found})


@access(write=Level.OPERATE)
@require_POST
def round_start(request: HttpRequest) -> HttpResponse:
    """Have a round done now."""
    _tell_under_way(request)
    try:
        round_ask(author=request.user.get_username())
    except NothingToTakeInError:
        messages.warning(request, _("There is nothing for the pipeline to take in. No round was started."))
    return redirect("traffic:runs")


@access(write=Level.OPERATE)
@require_POST
def round_generate(request: HttpRequest) -> HttpResponse:
    """Have a day of generated traffic tried on the live estate."""
    if not can_generate():
        messages.warning(request, _("The live estate has no instance yet: there is nowhere that traffic could begin."))
        return redirect("traffic:runs")
    _tell_under_way(request)
    round_ask_generated(author=request.user.get_username())
    return redirect("traffic:runs")


def _tell_under_way(request: HttpRequest) -> None:
    """Tell the user who starts a round that another one waits or runs: none is started behind it."""
    known = round_open()
    if known is not None:
        words = _("Round %(number)s of the pipeline waits or runs already, and no other one was started.")
        messages.warning(request, f"{words % {'number': known.pk}} {_('Cancel it, or try again once it is over.')}")


@access(write=Level.OPERATE)
@require_POST
def round_stop(request: HttpRequest, number: int) -> HttpResponse:
    """Have a round end."""
    get_object_or_404(Round, pk=number)
    if not round_cancel(number=number, author=request.user.get_username()):
        messages.warning(request, _("It was over before it could be cancelled."))
    return redirect("traffic:round", number)


@require_safe
def run(request: HttpRequest, number: int) -> HttpResponse:
    """One run, with its findings and its sources."""
    found = get_object_or_404(Run, pk=number)
    inputs = found.record.get("inputs", [])
    context = {
        "run": found,
        "compared": compared_names(found),
        "files": files_of(found),
        "inputs": inputs[:INPUTS],
        "more_inputs": max(0, len(inputs) - INPUTS),
        "reasons": found.record.get("reasons", {}),
        "versions": found.record.get("versions", {}),
        **context_of_run(found, request.GET.dict()),
    }
    return render(request, "traffic/run.html", context)


@require_safe
def table_csv(request: HttpRequest, number: int, table: str) -> HttpResponseBase:
    """All rows of a table."""
    found = get_object_or_404(Run, pk=number)
    if table not in TABLES:
        raise Http404
    name = f"{found.job}-{found.pk}-{table}.csv"
    headers = {"Content-Disposition": f'attachment; filename="{name}"', "Cache-Control": "private, no-cache"}
    lines = csv_lines(rows_of(found, TABLES[table]))
    return StreamingHttpResponse(lines, content_type="text/csv; charset=utf-8", headers=headers)

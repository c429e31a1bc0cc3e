"""The runs of the pipeline, and what each of them found."""

from __future__ import annotations

from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase, StreamingHttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_safe

from brokerui.core.csv import csv_lines
from brokerui.traffic_results.models import Run
from brokerui.traffic_results.selectors import files_of, rows_of, runs_loaded
from brokerui.traffic_results.tables import TABLES
from brokerui.traffic_results.telling import told_of

INPUTS = 20
"""That are listed."""


@require_safe
def runs(request: HttpRequest) -> HttpResponse:
    """All of them."""
    return render(request, "traffic_results/runs.html", {"runs": runs_loaded()})


@require_safe
def run(request: HttpRequest, number: int) -> HttpResponse:
    """One, with what it found and where that comes from."""
    found = get_object_or_404(Run, pk=number)
    inputs = found.record.get("inputs", [])
    context = {
        "run": found,
        "files": files_of(found),
        "inputs": inputs[:INPUTS],
        "more_inputs": max(0, len(inputs) - INPUTS),
        "reasons": found.record.get("reasons", {}),
        "versions": found.record.get("versions", {}),
        **told_of(found, request.GET.get("side", "")),
    }
    return render(request, "traffic_results/run.html", context)


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

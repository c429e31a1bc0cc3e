"""Reachability: which service names each entry point reaches, in the estate of the request."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase, StreamingHttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext
from django.views.decorators.http import require_safe
from django_htmx.http import HttpResponseClientRefresh

from brokerui.analysis.reachability.caveats import caveats_say, verdicts_of
from brokerui.analysis.reachability.selectors import LATE, is_small, job_of
from brokerui.changes.estate_view import estate_view_of
from brokerui.drawing.charts.look import UNNAMED
from brokerui.pages.reachability.axes import UnknownOriginError
from brokerui.pages.reachability.exporting import MOST_PAIRS, pairs_as_csv, table_as_csv
from brokerui.pages.reachability.page import (
    ReachabilityPage,
    figure_of,
    heads_of,
    lines_of,
    page_of,
    pairs_of,
    translate,
    word,
)
from brokerui.pages.reachability.query import VERDICTS, ReachabilityQuery
from brokerui.pages.reachability.wording import apart_says, headline, only, tone, what_is_shown


@require_safe
def matrix(request: HttpRequest) -> HttpResponse:
    """The page."""
    viewed, page_query = estate_view_of(request), ReachabilityQuery.of(request.GET)
    context: dict[str, Any] = {
        "viewed": viewed,
        "page_query": page_query,
        "page_keys": [("t", gettext("The same as a table"))],
    }
    if viewed.is_empty:
        return render(request, "reachability/matrix.html", context)
    try:
        page = page_of(viewed, page_query)
    except UnknownOriginError as error:
        return render(request, "reachability/matrix.html", context | {"unknown": str(error)}, status=404)
    return render(request, "reachability/matrix.html", context | _context(page))


def _context(page: ReachabilityPage) -> dict[str, Any]:
    table, page_query, viewed = page.shown, page.page_query, page.viewed.query
    totals = page.table.totals
    query = page_query.query(viewed)
    shown = what_is_shown((len(table.rows), page.of_rows), (len(table.columns), page.of_columns))
    return {
        "page": page,
        "known": page.known,
        "changed": len(page.changed) if page.changed is not None else None,
        "headline": headline(totals, named=page.named).render(translate),
        "tone": tone(totals, verdicts_of(page.caveats.hanging, page.known.matrix)),
        "apart": _apart(page),
        "caveats": [one.render(translate) for one in caveats_say(page.caveats, page.known.matrix, page.viewed.estate)],
        "title": (shown if not page_query.verdict else only(totals[page_query.verdict], page_query.verdict)).render(
            translate
        ),
        "shown": shown.render(translate),
        "counts": page.counts,
        "pairs": pairs_of(page_query, named=page.named),
        "verdicts": [(verdict, word(verdict)) for verdict in (*VERDICTS, UNNAMED)],
        "figure": figure_of(page) if table.fields else None,
        "heads": heads_of(page),
        "lines": list(lines_of(page)),
        "narrowed": _narrowed(page_query, viewed),
        "clear": ReachabilityQuery().query(viewed),
        **_files(page, query),
    }


def _apart(page: ReachabilityPage) -> str:
    sentence = apart_says(page.table.apart)
    return sentence.render(translate) if sentence else ""


def _files(page: ReachabilityPage, query: str) -> dict[str, str]:
    """Return the addresses of the files, once the whole survey is known; that of all pairs only if they are few."""
    if not page.known.is_whole:
        return {}
    files = {"csv": f"{reverse('reachability:table_csv')}?{query}"}
    if page.shown.totals.total() <= MOST_PAIRS:
        files["pairs_csv"] = f"{reverse('reachability:pairs_csv')}?{query}"
    return files


def _narrowed(page_query: ReachabilityQuery, viewed: dict[str, str]) -> list[tuple[str, str, str]]:
    """The ranges that one has gone into: first, last, and the query without."""
    ranges = (("origin_from", "origin_to"), ("service_from", "service_to"))
    return [
        (getattr(page_query, first), getattr(page_query, last), page_query.but(**{first: "", last: ""}).query(viewed))
        for first, last in ranges
        if getattr(page_query, first) or getattr(page_query, last)
    ]


@require_safe
def progress(request: HttpRequest) -> HttpResponse:
    """How far the work in the background is; once it is done, the page is asked for again."""
    viewed = estate_view_of(request)
    if viewed.is_empty or is_small(viewed.estate):
        return HttpResponseClientRefresh()
    job = job_of(viewed)
    if job is None:
        return HttpResponseClientRefresh()
    return render(request, "reachability/_progress.html", {"job": job, "late": job.is_late(LATE)})


@require_safe
def table_csv(request: HttpRequest) -> HttpResponseBase:
    return _file(request, "reachability.csv", table_as_csv)


@require_safe
def pairs_csv(request: HttpRequest) -> HttpResponseBase:
    return _file(request, "pairs.csv", pairs_as_csv)


def _file(request: HttpRequest, name: str, lines: Callable[[ReachabilityPage], Iterator[str]]) -> HttpResponseBase:
    viewed, page_query = estate_view_of(request), ReachabilityQuery.of(request.GET)
    try:
        page = page_of(viewed, page_query)
    except UnknownOriginError as error:
        raise Http404(str(error)) from error
    if not page.known.is_whole or (lines is pairs_as_csv and page.shown.totals.total() > MOST_PAIRS):
        raise Http404
    headers = {"Content-Disposition": f'attachment; filename="{name}"', "Cache-Control": "private, no-cache"}
    return StreamingHttpResponse(lines(page), content_type="text/csv; charset=utf-8", headers=headers)

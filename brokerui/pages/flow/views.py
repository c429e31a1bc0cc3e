"""Flow: where the routes lead, in widths."""

from __future__ import annotations

from typing import Any

from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase, StreamingHttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext
from django.views.decorators.http import require_safe

from brokerui.analysis.flow.wording import title
from brokerui.analysis.reachability.caveats import caveats_say, verdicts_of
from brokerui.changes.estate_view import estate_view_of
from brokerui.core.filters import FilterError
from brokerui.pages.flow.base_ways import base_ways
from brokerui.pages.flow.exporting import ways_as_csv
from brokerui.pages.flow.page import FlowPage, FlowQuery, figure_of, lines_of, page_of, translate
from brokerui.pages.reachability.wording import headline, tone


@require_safe
def flow(request: HttpRequest) -> HttpResponse:
    """The page."""
    viewed, page_query = estate_view_of(request), FlowQuery.of(request.GET)
    context: dict[str, Any] = {
        "viewed": viewed,
        "page_query": page_query,
        "page_keys": [("t", gettext("The same as a table"))],
    }
    if viewed.is_empty:
        return render(request, "flow/flow.html", context)
    try:
        page = page_of(viewed, page_query)
    except FilterError as error:
        problem = {"fault": error.problem.render(translate), "part": page_query.q[error.start : error.end]}
        return render(request, "flow/flow.html", context | problem, status=400)
    return render(request, "flow/flow.html", context | _context(page))


def _context(page: FlowPage) -> dict[str, Any]:
    picture, base = page.picture, base_ways(page)
    query = page.page_query.query(page.viewed.query)
    return {
        "known": page.known,
        "count": len(page.ways),
        "conversations": len(page.pairs),
        "headline": headline(page.totals, named=True).render(translate),
        "tone": tone(page.totals, verdicts_of(page.caveats.hanging, page.matrix)),
        "caveats": [one.render(translate) for one in caveats_say(page.caveats, page.matrix, page.viewed.estate)],
        "title": title(len(page.ways), picture.of_places, picture.folded).render(translate),
        "figure": figure_of(page) if page.ways else None,
        "lines": list(lines_of(page, base.lanes if base else None)),
        "changed": base.changed if base else None,
        "from_outside": f"?{page.page_query.query(page.viewed.query, outside='1')}",
        "csv": f"{reverse('flow:csv')}?{query}" if page.known.is_whole else "",
    }


@require_safe
def flow_csv(request: HttpRequest) -> HttpResponseBase:
    """Every way that fits."""
    try:
        page = page_of(estate_view_of(request), FlowQuery.of(request.GET))
    except FilterError as error:
        raise Http404 from error
    if not page.known.is_whole:
        raise Http404
    headers = {"Content-Disposition": 'attachment; filename="flow.csv"', "Cache-Control": "private, no-cache"}
    return StreamingHttpResponse(ways_as_csv(page), content_type="text/csv; charset=utf-8", headers=headers)

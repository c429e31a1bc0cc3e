"""Every route of the estate in one table."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext
from django.views.decorators.http import require_safe
from django.views.decorators.vary import vary_on_headers

from brokerui.accounts.levels import Level, may
from brokerui.analysis.lint.selectors import findings_for
from brokerui.changes.estate_view import EstateView, estate_view_of
from brokerui.changes.marks import marks_of
from brokerui.core.filters import FilterError
from brokerui.core.htmx import htmx_of, wants_piece
from brokerui.estate.models import Route
from brokerui.pages.routes.detail import RouteDetail, route_detail, row_selected
from brokerui.pages.routes.examples import EXAMPLES
from brokerui.pages.routes.exporting import as_csv
from brokerui.pages.routes.listing import RouteListing, RoutesQuery
from brokerui.pages.routes.rows import routes_of


@require_safe
@vary_on_headers("HX-Request", "HX-Target", "HX-History-Restore-Request")
def routes_list(request: HttpRequest) -> HttpResponse:
    """The page, or (asked by htmx) the panel with one route."""
    viewed = estate_view_of(request)
    listing = _listing(request, viewed)
    _ = listing.rows  # here, not deep inside of the template: there a loop over all rows can take ten times as long
    detail = _detail(viewed, listing)
    context: dict[str, Any] = {"viewed": viewed, "listing": listing, "detail": detail}
    context["edit_url"] = _edit_url(request, viewed, detail) if detail else ""
    if wants_piece(request) and htmx_of(request).target == "panel":
        return render(request, "routes/_panel.html", context)
    context |= {"examples": EXAMPLES}
    return render(request, "routes/list.html", context, status=400 if listing.error else 200)


@require_safe
def routes_csv(request: HttpRequest) -> HttpResponse | StreamingHttpResponse:
    """Return all routes of the page's filter as CSV, with the columns of `sys.routes`."""
    listing = _listing(request, estate_view_of(request))
    if listing.error is not None:
        return HttpResponse(_error_text(listing.error), status=400, content_type="text/plain; charset=utf-8")
    headers = {"Content-Disposition": 'attachment; filename="routes.csv"', "Cache-Control": "private, no-cache"}
    return StreamingHttpResponse(
        as_csv(listing.rows, listing.table), content_type="text/csv; charset=utf-8", headers=headers
    )


def _error_text(error: FilterError) -> str:
    return error.problem.render(gettext)


def _listing(request: HttpRequest, viewed: EstateView) -> RouteListing:
    page_query = RoutesQuery.of(request.GET.dict())
    rows, report = routes_of(viewed.key, viewed.estate), findings_for(viewed)
    return RouteListing(viewed.query, page_query, rows, report, viewed.at(), marks_of(viewed))


def _detail(viewed: EstateView, listing: RouteListing) -> RouteDetail | None:
    row = row_selected(viewed.estate, listing.page_query.select) if listing.page_query.select else None
    return route_detail(viewed, row, listing.report) if row else None


def _edit_url(request: HttpRequest, viewed: EstateView, detail: RouteDetail) -> str:
    """Where an editor changes the row, and comes back from; empty for others, and for what cannot be changed."""
    if not viewed.is_editable or not may(request.user, Level.EDIT):
        return ""
    instance, database, name = detail.row.key
    rows = Route.objects.filter(database__instance__name=instance, database__name=database, name=name)
    row_id = rows.values_list("id", flat=True).first()
    if row_id is None:
        return ""
    return f"{reverse('tables:estate_route_change', args=[row_id])}?{urlencode({'next': request.get_full_path()})}"

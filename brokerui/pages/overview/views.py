"""Overview: the page, its file, and the causes that the bar of every page shows."""

from __future__ import annotations

from functools import partial

from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import render
from django.views.decorators.http import require_safe

from brokerui.accounts.levels import UserAccess
from brokerui.analysis.monitoring.waiting import waiting_now
from brokerui.analysis.overview.alerts import Alerts, alerts_latest
from brokerui.analysis.overview.overview import causes_now, looked_at_redis
from brokerui.analysis.servers.observed import with_collected
from brokerui.core.deferred import NotReadyError
from brokerui.estate.selectors import estate_current
from brokerui.pages.overview import page
from brokerui.pages.shell.live import live, live_csv, varies_by_htmx


@require_safe
@varies_by_htmx
def overview(request: HttpRequest) -> HttpResponse:
    """The page; htmx asks for the pieces of it that change."""
    context = partial(page.page_context, request.GET, UserAccess(request.user))
    return live(request, "overview", context, lambda: True, stamp=looked_at_redis)


@require_safe
def alerts(request: HttpRequest) -> HttpResponse:
    """The causes by outcome, for the bar; 204 while they are counted for the first time."""
    try:
        found = _alerts()
    except NotReadyError:
        return HttpResponse(status=204)
    response = render(request, "components/alerts.html", {"alerts": found})
    response.headers["Cache-Control"] = "no-store"
    return response


def _alerts() -> Alerts:
    known = alerts_latest()
    if known is None:
        causes_now(with_collected(estate_current()), waiting_now())
        known = alerts_latest()
    return known or Alerts()


@require_safe
def overview_csv(request: HttpRequest) -> HttpResponseBase:
    """The figures of the charts as a file."""
    return live_csv(request, "overview.csv", page.CSV_COLUMNS, page.as_rows)

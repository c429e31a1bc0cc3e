"""Pages of findings: problems of the estate, worst first."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import chain
from typing import Any
from urllib.parse import urlencode

from django.http import Http404, HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext
from django.views.decorators.http import require_safe
from django.views.decorators.vary import vary_on_headers
from django_htmx.http import HttpResponseClientRefresh

from brokerui.accounts.levels import Level, may
from brokerui.analysis.effect.finding_changes import finding_changes_in
from brokerui.analysis.lint.remedy_offer import RemedyOffer
from brokerui.analysis.lint.selectors import findings_for
from brokerui.analysis.lint.stored_findings import StoredFinding
from brokerui.analysis.remedies.viewed_offers import offers_for
from brokerui.changes.estate_view import EstateView, estate_view_of
from brokerui.core.csv import csv_lines
from brokerui.core.htmx import htmx_of
from brokerui.pages.findings.code_docs import explained, source
from brokerui.pages.findings.headline import answer, command, tone
from brokerui.pages.findings.listing import TABLE, TITLES, FindingListing
from routing.lint.missing import still_missing

COLUMNS = ("code", "severity", "instance", "database", "object", "reason", "remedy_sql", "remedy_does")


@require_safe
@vary_on_headers("HX-Request")
def findings_list(request: HttpRequest) -> HttpResponse:
    """The page; asked by htmx while the estate is being looked over: whether that is done."""
    viewed = estate_view_of(request)
    listing = _listing(request, viewed)
    report = listing.report
    if htmx_of(request) and report.is_there:
        return HttpResponseClientRefresh()
    context: dict[str, Any] = {"viewed": viewed, "listing": listing, "report": report}
    context["command"] = command(viewed, with_suppressions=report.suppressed is not None)
    if htmx_of(request):
        return render(request, "findings/_waiting.html", context)
    context |= _context(listing) | {"can_suppress": _can_suppress(request, viewed)}
    context["of_draft"] = finding_changes_in(viewed)
    return render(request, "findings/list.html", context, status=400 if listing.error else 200)


@require_safe
def state(request: HttpRequest) -> HttpResponse:
    """A line for other pages: whether the findings are there."""
    viewed = estate_view_of(request)
    return render(request, "findings/_state.html", {"viewed": viewed, "report": findings_for(viewed)})


@require_safe
def findings_csv(request: HttpRequest) -> HttpResponse | StreamingHttpResponse:
    """Return all findings of the page's filter as CSV, with reasons in the reader's language."""
    viewed = estate_view_of(request)
    listing = _listing(request, viewed)
    rows = listing.rows
    if listing.error is not None:
        return HttpResponse(listing.error.problem.render(gettext), status=400, content_type="text/plain; charset=utf-8")
    if not listing.report.is_there:
        raise Http404(gettext("The findings are not known yet."))
    headers = {"Content-Disposition": 'attachment; filename="findings.csv"', "Cache-Control": "private, no-cache"}
    lines = _as_csv(rows, offers_for(viewed))
    return StreamingHttpResponse(lines, content_type="text/csv; charset=utf-8", headers=headers)


@require_safe
def code_page(request: HttpRequest, code: str) -> HttpResponse:
    """Show the meaning of a code, with an example and the remedy."""
    text = source(code)
    if text is None:
        raise Http404(gettext("There is no finding of this code."))
    viewed = estate_view_of(request)
    found = [finding for finding in findings_for(viewed).findings if finding.code == code]

    def address(other: str) -> str:
        return _with_query(reverse("findings:code", args=[other]), viewed.query)

    context = {
        "viewed": viewed,
        "code": code,
        "title": TITLES[code],
        "text": explained(text, address),
        "count": len(found),
        "here": urlencode({**viewed.query, "q": f"code:{code}"}),
    }
    return render(request, "findings/code.html", context)


def _with_query(url: str, query: dict[str, str]) -> str:
    return f"{url}?{urlencode(query)}" if query else url


def _listing(request: HttpRequest, viewed: EstateView) -> FindingListing:
    text, page = request.GET.get("q", "").strip(), request.GET.get("page", "")
    return FindingListing(viewed.query, text, page, findings_for(viewed), TABLE.read(request.GET.dict()))


def _context(listing: FindingListing) -> dict[str, Any]:
    """The rows are asked for here: a filter that cannot be is known from then on."""
    report, _rows = listing.report, listing.rows
    missing = report.looked.missing if report.looked else ()
    return {"answer": answer(report.counts), "tone": tone(report.counts), "missing": still_missing(missing)}


def _can_suppress(request: HttpRequest, viewed: EstateView) -> bool:
    return viewed.is_editable and may(request.user, Level.EDIT)


def _as_csv(rows: list[StoredFinding], offers: Callable[[StoredFinding], RemedyOffer]) -> Iterator[str]:
    return csv_lines(chain([COLUMNS], (_as_row(row, offers(row)) for row in rows)))


def _as_row(row: StoredFinding, offer: RemedyOffer) -> tuple[str | None, ...]:
    does = " ".join(sentence.render(gettext) for sentence in offer.says)
    place = row.instance, row.database, row.object
    return row.code, row.severity, *place, row.reason.render(gettext), offer.sql, does

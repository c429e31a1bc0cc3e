"""Pages that keep up: the whole page, or, asked by htmx, the piece of it that changes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from hashlib import blake2b
from itertools import chain
from typing import Any

from django.http import HttpRequest, HttpResponse, HttpResponseBase, StreamingHttpResponse
from django.shortcuts import render
from django.template.loader import render_to_string
from django.views.decorators.vary import vary_on_headers
from django_htmx.http import HttpResponseClientRefresh
from redis import RedisError

from brokerui.core.csv import csv_lines
from brokerui.core.deferred import RETRY_AFTER_S, NotReadyError
from brokerui.core.htmx import wants_piece
from brokerui.messaging.broker_cache import hosted_names
from brokerui.messaging.exchange.outbox import redis

varies_by_htmx = vary_on_headers("HX-Request", "HX-History-Restore-Request")
"""Caches keep the whole page and its piece apart."""
Rows = Callable[[Mapping[str, str]], Iterator[tuple[Any, ...]]]
"""From the query of a page to the rows of its file."""
SHAPE = "Shape"
"""The header with the parts that the page in the browser has: `shape` of its context."""
SEEN = "Seen"
"""The header with what the browser shows already, by its digest."""


def live(
    request: HttpRequest,
    name: str,
    page_context: Callable[[], dict[str, Any]],
    has_more: Callable[[], bool] = lambda: False,
    page: str = "",
) -> HttpResponse:
    """The page `NAME/NAME.html`, whose piece is `NAME/_table.html`, or `NAME/PAGE.html` and `NAME/_PAGE.html`;
    without hosted instances, what to do, unless `has_more` says that the page has something to show all the same."""
    if not hosted_names() and not has_more():
        return render(request, "live/nobody.html", {"name": name})
    try:
        figures = page_context()
    except NotReadyError:
        return _being_counted(request)
    context = {
        "shape": "chart" if figures.get("figure") else "words",
        **figures,
        "name": name,
        "piece": f"{name}/_{page or 'table'}.html",
        "twin_table": f"{name}/_twin.html",
        "here": request.GET.urlencode(),
        "redis_is_away": redis_is_away(),
    }
    if not wants_piece(request):
        return render(request, f"{name}/{page or name}.html", context)
    return _piece(request, context)


def _being_counted(request: HttpRequest) -> HttpResponse:
    """For the first time in this process: the page asks again by itself, and a piece stays as it is shown."""
    if wants_piece(request):
        return HttpResponse(status=204)
    response = render(request, "live/counting.html", status=202)
    response.headers["Refresh"] = str(RETRY_AFTER_S)
    response.headers["Cache-Control"] = "no-store"
    return response


def _piece(request: HttpRequest, context: dict[str, Any]) -> HttpResponse:
    """Nothing at all where nothing has changed: then nothing moves, and nothing is read aloud. A page that has other
    parts by now, as a chart once there is a first sample, is loaded anew."""
    if request.headers.get(SHAPE, context["shape"]) != context["shape"]:
        return HttpResponseClientRefresh()
    text = render_to_string("live/_piece.html", context, request)
    digest = blake2b(text.encode(), digest_size=12).hexdigest()
    status = 204 if request.headers.get(SEEN) == digest else 200
    return HttpResponse(text if status == 200 else "", status=status, headers={SEEN: digest, "Vary": SEEN})


def redis_is_away() -> bool:
    try:
        redis().ping()
    except (RedisError, OSError):
        return True
    return False


def live_csv(request: HttpRequest, name: str, columns: tuple[str, ...], rows: Rows) -> HttpResponseBase:
    """The rows of a page as the file `name`.

    Reads all rows before the answer begins, so that an error is answered as on every page.
    """
    headers = {"Content-Disposition": f'attachment; filename="{name}"', "Cache-Control": "private, no-cache"}
    lines = csv_lines(chain([columns], list(rows(request.GET))))
    return StreamingHttpResponse(lines, content_type="text/csv; charset=utf-8", headers=headers)

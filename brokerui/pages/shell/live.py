"""Pages that keep up: the whole page, or, asked by htmx, the piece of it that changes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from itertools import chain
from typing import Any

from django.http import HttpRequest, HttpResponse, HttpResponseBase, HttpResponseNotModified, StreamingHttpResponse
from django.shortcuts import render
from django.template.loader import render_to_string
from django.views.decorators.vary import vary_on_headers
from django_htmx.http import HttpResponseClientRefresh

from brokerui.core.csv import csv_lines
from brokerui.core.deferred import RETRY_AFTER_S, NotReadyError
from brokerui.core.htmx import wants_piece
from brokerui.core.lasting import lasting
from brokerui.estate.selectors import has_instances
from brokerui.messaging.broker_cache import hosted_names
from brokerui.pages.shell.columns import Table
from brokerui.pages.shell.navigation import label_of
from brokerui.pages.shell.shared_pieces import SharedPiece, shared_piece
from brokerui.pages.shell.unchanged import SHAPE, Stamp, State, note_answer, of_nothing, state_now

varies_by_htmx = vary_on_headers("HX-Request", "HX-History-Restore-Request")
"""Caches keep the whole page and its piece apart."""
Rows = Callable[[Mapping[str, str]], Iterator[tuple[Any, ...]]]
"""From the query of a page to the rows of its file."""


def live(
    request: HttpRequest,
    name: str,
    page_context: Callable[[], dict[str, Any]],
    has_more: Callable[[], bool] = lambda: False,
    page: str = "",
    *,
    stamp: Stamp = of_nothing,
) -> HttpResponse:
    """The page `NAME/NAME.html`, whose piece is `NAME/_table.html`, or `NAME/PAGE.html` and `NAME/_PAGE.html`;
    without hosted instances, what to do, unless `has_more` says that the page has something to show all the same.

    A browser that sends the ETag of the piece that it shows gets 304 where the piece would be the same; while nothing
    is committed, and what the piece has of Redis (`stamp`) is the same, `UnchangedMiddleware` answers that."""
    if not hosted_names() and not has_more():
        return render(request, "live/nobody.html", _nobody(name))

    def context_of(state: State) -> dict[str, Any]:
        figures = page_context()
        return {
            "shape": "chart" if figures.get("figure") else "words",
            **figures,
            "name": name,
            "piece": f"{name}/_{page or 'table'}.html",
            "twin_table": f"{name}/_twin.html",
            "here": request.GET.urlencode(),
            "redis_is_away": state.redis_is_away,
        }

    try:
        if wants_piece(request):
            return _piece(request, stamp, context_of)
        return render(request, f"{name}/{page or name}.html", context_of(state_now(stamp, is_kept=False)))
    except NotReadyError:
        return _being_counted(request)


def _being_counted(request: HttpRequest) -> HttpResponse:
    """For the first time in this process: the page asks again by itself, and a piece stays as it is shown."""
    if wants_piece(request):
        return HttpResponse(status=204)
    response = render(request, "live/counting.html", status=202)
    response.headers["Refresh"] = str(RETRY_AFTER_S)
    response.headers["Cache-Control"] = "no-store"
    return response


def _piece(request: HttpRequest, stamp: Stamp, context_of: Callable[[State], dict[str, Any]]) -> HttpResponse:
    """Nothing at all where nothing has changed: then nothing moves, and nothing is read aloud. A page that has other
    parts by now, as a chart once there is a first sample, is loaded anew."""

    def make(state: State) -> SharedPiece:
        with lasting() as lasted:
            context = context_of(state)
            text = render_to_string("live/_piece.html", context, request)
        return SharedPiece.of(text, context["shape"], state, lasted)

    piece, is_new = shared_piece(request, partial(state_now, stamp, is_kept=True), make)
    if request.headers.get(SHAPE, piece.shape) != piece.shape:
        return HttpResponseClientRefresh()
    note_answer(request, piece.etag, piece.state, stamp, piece.until)
    if request.headers.get("If-None-Match") == piece.etag:
        return HttpResponseNotModified(headers={"ETag": piece.etag} if is_new else {})
    return HttpResponse(piece.text_for(request), headers={"ETag": piece.etag})


def _nobody(name: str) -> dict[str, Any]:
    return {"heading": label_of(name), "has_servers": has_instances()}


def live_csv(
    request: HttpRequest, name: str, columns: tuple[str, ...], rows: Rows, table: Table[Any] | None = None
) -> HttpResponseBase:
    """The rows of a page as the file `name`, with the columns that the address chooses of the page's table.

    Reads all rows before the answer begins, so that an error is answered as on every page.
    """
    headers = {"Content-Disposition": f'attachment; filename="{name}"', "Cache-Control": "private, no-cache"}
    shown = table.read(request.GET.dict()) if table is not None else None
    found: Iterable[Any] = list(rows(request.GET))
    if shown is not None:
        columns, found = shown.of_file(columns, found)
    lines = csv_lines(chain([columns], found))
    return StreamingHttpResponse(lines, content_type="text/csv; charset=utf-8", headers=headers)

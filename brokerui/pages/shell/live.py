"""Pages that keep up: the whole page, or, asked by htmx, the piece of it that changes."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from hashlib import blake2b
from itertools import chain
from typing import Any, Final

from django.http import HttpRequest, HttpResponse, HttpResponseBase, HttpResponseNotModified, StreamingHttpResponse
from django.shortcuts import render
from django.template.loader import render_to_string
from django.utils.timezone import get_current_timezone
from django.utils.translation import get_language
from django.views.decorators.vary import vary_on_headers
from django_htmx.http import HttpResponseClientRefresh
from redis import RedisError

from brokerui.core.cache import LruCache
from brokerui.core.commit_mark import commit_mark
from brokerui.core.csv import csv_lines
from brokerui.core.deferred import RETRY_AFTER_S, NotReadyError, is_deferred_work_running
from brokerui.core.htmx import wants_piece
from brokerui.messaging.broker_cache import hosted_names
from brokerui.messaging.exchange.outbox import redis
from brokerui.pages.shell.columns import Table

varies_by_htmx = vary_on_headers("HX-Request", "HX-History-Restore-Request")
"""Caches keep the whole page and its piece apart."""
Rows = Callable[[Mapping[str, str]], Iterator[tuple[Any, ...]]]
"""From the query of a page to the rows of its file."""
SHAPE = "Shape"
"""The header with the parts that the page in the browser has: `shape` of its context."""
CSRF_VALUE: Final = re.compile(r'(name="csrfmiddlewaretoken" value=")[^"]*')
"""It differs each time, for the same token."""
MOST_KEPT: Final = 1_000
KEPT_S: Final = 10.0
"""How long an unchanged database stands for an unchanged piece: by then the ages in it differ."""


@dataclass(frozen=True, slots=True)
class _Piece:
    """The latest piece of an address for one user."""

    etag: str
    commits: str
    redis_is_away: bool
    until: float
    """On the monotonic clock."""


_pieces: LruCache[_Piece] = LruCache(MOST_KEPT)


def live(
    request: HttpRequest,
    name: str,
    page_context: Callable[[], dict[str, Any]],
    has_more: Callable[[], bool] = lambda: False,
    page: str = "",
    *,
    is_of_redis: bool = False,
) -> HttpResponse:
    """The page `NAME/NAME.html`, whose piece is `NAME/_table.html`, or `NAME/PAGE.html` and `NAME/_PAGE.html`;
    without hosted instances, what to do, unless `has_more` says that the page has something to show all the same.

    A browser that sends the ETag of the piece that it shows gets 304 where the piece would be the same. The figures of
    a piece are not computed again while nothing is committed; those that stand in Redis (`is_of_redis`) always are."""
    commits = None if is_of_redis or not wants_piece(request) else commit_mark()
    if commits is not None and _is_unchanged(request, commits):
        return HttpResponseNotModified()
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
    return _piece(request, context, commits)


def _key(request: HttpRequest) -> tuple[Hashable, ...]:
    """Everything that a piece depends on besides the database: user, language, zone and address."""
    zone = str(get_current_timezone())
    return request.user.pk, get_language(), zone, request.get_full_path(), request.headers.get(SHAPE, "")


def _is_unchanged(request: HttpRequest, commits: str) -> bool:
    """Whether the browser shows the piece of a moment ago, and nothing was committed since."""
    last = _pieces.get(_key(request))
    if last is None or last.commits != commits or time.monotonic() > last.until:
        return False
    return request.headers.get("If-None-Match") == last.etag and redis_is_away() == last.redis_is_away


def _being_counted(request: HttpRequest) -> HttpResponse:
    """For the first time in this process: the page asks again by itself, and a piece stays as it is shown."""
    if wants_piece(request):
        return HttpResponse(status=204)
    response = render(request, "live/counting.html", status=202)
    response.headers["Refresh"] = str(RETRY_AFTER_S)
    response.headers["Cache-Control"] = "no-store"
    return response


def _piece(request: HttpRequest, context: dict[str, Any], commits: str | None) -> HttpResponse:
    """Nothing at all where nothing has changed: then nothing moves, and nothing is read aloud. A page that has other
    parts by now, as a chart once there is a first sample, is loaded anew."""
    if request.headers.get(SHAPE, context["shape"]) != context["shape"]:
        return HttpResponseClientRefresh()
    text = render_to_string("live/_piece.html", context, request)
    etag = etag_of(text)
    if commits is not None and not is_deferred_work_running():  # figures that are being counted come without a commit
        until = time.monotonic() + KEPT_S
        _pieces.put(_key(request), _Piece(etag, commits, context["redis_is_away"], until))
    if request.headers.get("If-None-Match") == etag:
        return HttpResponseNotModified()
    return HttpResponse(text, headers={"ETag": etag})


def etag_of(text: str) -> str:
    """Return the ETag of a piece: the same one, whatever the tokens of its forms are."""
    return f'W/"{blake2b(CSRF_VALUE.sub("", text).encode(), digest_size=12).hexdigest()}"'


def redis_is_away() -> bool:
    try:
        redis().ping()
    except (RedisError, OSError):
        return True
    return False


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

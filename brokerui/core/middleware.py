"""Middleware for every request and every answer."""

from collections.abc import Callable

from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.defaultfilters import filesizeformat
from django.utils.cache import patch_vary_headers
from django.utils.translation import gettext as _

from brokerui.core.deferred import NotReadyError, deferral_allowed
from brokerui.core.errors import being_read, error_page
from brokerui.core.problems import asks_for_problems
from brokerui.core.refusals import log_refusal

Handler = Callable[[HttpRequest], HttpResponse]

# A browser shows the error page only if the server has read the body; this limits how much it reads.
DRAIN_FACTOR = 4
QUERY_MAX_CHARS = 4_096
"""Characters."""
CHUNK_BYTES = 64 * 1024


def isolation_headers(get_response: Handler) -> Handler:
    """Ask the browser to keep others away from our answers, and devices away from our pages."""

    def middleware(request: HttpRequest) -> HttpResponse:
        response = get_response(request)
        response.headers.setdefault("Cross-Origin-Resource-Policy", "same-origin")
        response.headers.setdefault("Permissions-Policy", "camera=(), geolocation=(), microphone=(), payment=()")
        if response.headers.get("Content-Type", "").startswith("text/html"):
            # Theme and language come from cookies.
            patch_vary_headers(response, ["Cookie"])
            response.headers.setdefault("Cache-Control", "private, no-cache")
        return response

    return middleware


def address_limit(get_response: Handler) -> Handler:
    """Refuse an address that is longer than the server in front of us takes too: no page makes one."""

    def middleware(request: HttpRequest) -> HttpResponse:
        if len(request.META.get("QUERY_STRING", "")) <= QUERY_MAX_CHARS:
            return get_response(request)
        log_refusal(request, 414, f"its query is longer than {QUERY_MAX_CHARS:,} characters")
        text = _("No page has an address as long as this one. Ask for less at a time.")
        return error_page(request, status=414, title=_("That address is too long"), text=text)

    return middleware


def columns_joined(get_response: Handler) -> Handler:
    """Lead a form whose user ticked several columns to the one address of that choice, `columns=a,b`."""

    def middleware(request: HttpRequest) -> HttpResponse:
        chosen = {name for name in request.GET if name == "columns" or name.endswith("-columns")}
        if request.method != "GET" or all(len(request.GET.getlist(name)) == 1 for name in chosen):
            return get_response(request)
        query = request.GET.copy()
        for name in chosen:
            query[name] = ",".join(query.getlist(name))
        return HttpResponseRedirect(f"{request.path}?{query.urlencode(safe=',')}")

    return middleware


class NotReadyMiddleware:
    """Answers requests that only read with "ask again" while their data is prepared: 202 for pages, 503 for programs.

    A form waits instead: its user would have to send it again.
    """

    def __init__(self, get_response: Handler) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if request.method not in ("GET", "HEAD") and not asks_for_problems(request):
            return self._get_response(request)
        with deferral_allowed():
            return self._get_response(request)

    def process_exception(self, request: HttpRequest, error: Exception) -> HttpResponse | None:
        """Answer a view that is not ready; REST resources answer by themselves."""
        return being_read(request) if isinstance(error, NotReadyError) else None


def body_limit(get_response: Handler) -> Handler:
    """Refuse a body that is too large before anything of it is stored."""

    def middleware(request: HttpRequest) -> HttpResponse:
        if _length(request) <= settings.BODY_MAX_BYTES:
            return get_response(request)
        log_refusal(request, 413, f"its body has {_length(request):,} bytes, more than {settings.BODY_MAX_BYTES:,}")
        _drain(request, settings.BODY_MAX_BYTES * DRAIN_FACTOR)
        return error_page(
            request,
            status=413,
            title=_("That is too large"),
            text=_("Documents of up to %(size)s are accepted.") % {"size": filesizeformat(settings.SCENARIO_MAX_BYTES)},
        )

    return middleware


def _length(request: HttpRequest) -> int:
    """Return the announced length of the body; 0 where none is announced, and then the server passes none on."""
    text = request.META.get("CONTENT_LENGTH") or "0"
    return int(text[:18]) if text.isdecimal() else 0


def _drain(request: HttpRequest, limit: int) -> None:
    """Read up to `limit` bytes of the body and discard them."""
    left = limit
    while left > 0 and (chunk := request.read(min(CHUNK_BYTES, left))):
        left -= len(chunk)

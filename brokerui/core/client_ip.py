"""The address of the client whose request this thread works on: throttles count by it, and the audit names it."""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar
from ipaddress import ip_address

from django.conf import settings
from django.http import HttpRequest, HttpResponse

_address: ContextVar[str | None] = ContextVar("address", default=None)


def client_ip_middleware(get_response: Callable[[HttpRequest], HttpResponse]) -> Callable[[HttpRequest], HttpResponse]:
    """Middleware: while a request is answered, `address_now` is its client's."""

    def middleware(request: HttpRequest) -> HttpResponse:
        token = _address.set(client_ip_of(request))
        try:
            return get_response(request)
        finally:
            _address.reset(token)

    return middleware


def client_ip_now() -> str | None:
    """Return the address of the client of this thread's request; None in commands and background jobs."""
    return _address.get()


def client_ip_of(request: HttpRequest) -> str | None:
    """Return the peer of the connection; behind `PROXIES` proxies the peer that the outermost of them reports.

    Entries further left in the header are ignored: the client may have written them itself.
    """
    reported = [text.strip() for text in request.headers.get("X-Forwarded-For", "").split(",")]
    if 0 < settings.PROXIES <= len(reported):
        return _as_address(reported[-settings.PROXIES]) or _connected(request)
    return _connected(request)


def _connected(request: HttpRequest) -> str | None:
    return _as_address(request.META.get("REMOTE_ADDR", ""))


def _as_address(text: str) -> str | None:
    """Normalize an address; None where the text is none."""
    try:
        return str(ip_address(text.partition("%")[0]))
    except ValueError:
        return None

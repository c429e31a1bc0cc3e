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
    """None where no request is being answered: commands, and work beside the web."""
    return _address.get()


def client_ip_of(request: HttpRequest) -> str | None:
    """Who is connected; behind `PROXIES` proxies of ours who the outermost of them says was connected to it.

    What stands further left in the header the client may have written itself.
    """
    told = [text.strip() for text in request.headers.get("X-Forwarded-For", "").split(",")]
    if 0 < settings.PROXIES <= len(told):
        return _as_address(told[-settings.PROXIES]) or _connected(request)
    return _connected(request)


def _connected(request: HttpRequest) -> str | None:
    return _as_address(request.META.get("REMOTE_ADDR", ""))


def _as_address(text: str) -> str | None:
    """In its one spelling; None where it is none."""
    try:
        return str(ip_address(text.partition("%")[0]))
    except ValueError:
        return None

"""Middleware: an address has its moments in UTC, so that a shared link means the same moment to two readers.

A form sends what its reader typed, in the zone of that reader. A page goes on to the address with the same moment in
UTC; a piece is answered at once, and its address in the browser becomes that one.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, QueryDict

from brokerui.core.typed_moments import canonical

NAMES: Final = ("as_of", "at", "since", "until")


class MomentAddressMiddleware:
    """Begins with the view, once the zone is known."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self._get_response(request)
        address = getattr(request, "address_in_utc", "")
        if address and response.status_code == 200:
            response.headers["HX-Push-Url"] = address
        return response

    def process_view(
        self, request: HttpRequest, view: Callable[..., Any], _args: Any, _kwargs: Any
    ) -> HttpResponse | None:
        """Answer with the other address, or let the view have the query in UTC."""
        if request.method not in ("GET", "HEAD") or not getattr(view, "login_required", True):
            return None
        changed = {name: text for name in NAMES if (text := _changed(request.GET.get(name, "")))}
        if not changed:
            return None
        query = request.GET.copy()
        for name, text in changed.items():
            query[name] = text
        return _answer(request, query)


def _changed(text: str) -> str:
    """Return the text in UTC; empty where it stays."""
    other = canonical(text) if text else ""
    return other if other != text else ""


def _answer(request: HttpRequest, query: QueryDict) -> HttpResponse | None:
    address = f"{request.path}?{query.urlencode()}"
    if not getattr(request, "htmx", False):
        return HttpResponseRedirect(address)
    request.GET = query  # type: ignore[assignment]  # a mutable one, as the views read it
    request.address_in_utc = address  # type: ignore[attr-defined]  # ours
    return None

"""Middleware: a page writes moments in the zone and by the clock of its reader. REST writes UTC."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from typing import Any

from django.http import HttpRequest, HttpResponse

from brokerui.accounts.preference_services import preferences_of
from brokerui.accounts.preferences import zone_of
from brokerui.core.moments import shown_in


class ZoneMiddleware:
    """Begins with the view, so that answers which need no user do not ask for one, and lasts until the answer is made.

    A streamed file is written later: `live_csv` has its lines before.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        with ExitStack() as shown:
            request.shown_moments = shown  # type: ignore[attr-defined]  # ours
            return self._get_response(request)

    def process_view(self, request: HttpRequest, view: Callable[..., Any], _args: Any, _kwargs: Any) -> None:
        """Enter the zone of a signed-in user."""
        chosen = preferences_of(request.user) if getattr(view, "login_required", True) else None
        if chosen is not None:
            request.shown_moments.enter_context(shown_in(zone_of(chosen.zone), chosen.clock))  # type: ignore[attr-defined]  # ours

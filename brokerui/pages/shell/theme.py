"""Light, dark, or what the reader's system prefers; and whether single keys act.

Both can be chosen on every page. A choice is a preference of the signed-in user, on every browser. For visitors who are
not signed in, and where the site is read-only, it is a cookie. Either way the server writes it into the page, so that
no page flashes in the wrong colours.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.http import require_POST

from brokerui.accounts.levels import Level, may
from brokerui.accounts.preference_services import preferences_of, preferences_save
from brokerui.accounts.preferences import DEFAULTS, THEMES, Preferences

COOKIES = {"theme": "theme", "keys": "shortcuts"}
YEAR = 31_536_000


def preferences_shown(request: HttpRequest, user: Any) -> Preferences:
    """Return the choices that hold for a page: those of the user, or of this browser, or the product's own."""
    stored = preferences_of(user) if user is not None else None
    if stored is not None and not settings.READ_ONLY:
        return stored
    return replace(stored or DEFAULTS, **_cookies(request))


def _cookies(request: HttpRequest) -> dict[str, Any]:
    """Return the choices of this browser; anything else in a cookie counts as no choice."""
    theme, keys = (request.COOKIES.get(cookie, "") for cookie in COOKIES.values())
    found: dict[str, Any] = {"theme": theme} if theme in THEMES else {}
    return found | ({"keys": keys == "on"} if keys in ("on", "off") else {})


@require_POST
def theme_choose(request: HttpRequest) -> HttpResponse:
    """Keep the choice and go back to the page it was made on."""
    theme = request.POST.get("theme", "")
    return _kept(request, "theme", theme, theme) if theme in THEMES else _back_to(request)


@require_POST
def keys_choose(request: HttpRequest) -> HttpResponse:
    """Keep whether single keys act, and go back."""
    keys = request.POST.get("keys", "")
    return _kept(request, "keys", keys, keys == "on") if keys in ("on", "off") else _back_to(request)


def _kept(request: HttpRequest, name: str, text: str, value: Any) -> HttpResponse:
    """Keep a choice for the user, where there is one who may, and for this browser, which shows the form to sign in."""
    user: Any = request.user
    if user.is_authenticated and not settings.READ_ONLY and may(user, Level.VIEW):
        preferences_save(user=user, given={name: value})
    response = _back_to(request)
    response.set_cookie(COOKIES[name], text, max_age=YEAR, secure=settings.HTTPS, httponly=True, samesite="Lax")
    return response


def _back_to(request: HttpRequest) -> HttpResponse:
    """Return to the page of the form, if it is one of ours."""
    url = request.POST.get("next", "")
    ours = url_has_allowed_host_and_scheme(url, allowed_hosts=None, require_https=request.is_secure())
    return HttpResponseRedirect(url if ours and url else "/")

"""Light, dark, or what the reader's system prefers.

The choice is a cookie, so that the server writes it into the page and no page flashes in the wrong colours.
"""

from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.http import require_POST

AUTO, LIGHT, DARK = THEMES = ("auto", "light", "dark")
COOKIE = "theme"
YEAR = 31_536_000


def theme_of(request: HttpRequest) -> str:
    """The chosen theme; anything else in the cookie counts as no choice."""
    chosen = request.COOKIES.get(COOKIE, AUTO)
    return chosen if chosen in THEMES else AUTO


@require_POST
def theme_choose(request: HttpRequest) -> HttpResponse:
    """Keep the choice and go back to the page it was made on."""
    response = HttpResponseRedirect(_back(request))
    theme = request.POST.get("theme", "")
    if theme in THEMES:
        response.set_cookie(COOKIE, theme, max_age=YEAR, secure=settings.HTTPS, httponly=True, samesite="Lax")
    return response


def _back(request: HttpRequest) -> str:
    """The page to return to, if it is one of ours."""
    url = request.POST.get("next", "")
    ours = url_has_allowed_host_and_scheme(url, allowed_hosts=None, require_https=request.is_secure())
    return url if ours and url else "/"

"""Addresses of earlier versions: each redirects to the page that has taken its place, with its query.

The redirect is 308, so that a form posted to a former address reaches its page with method and body.
"""

from __future__ import annotations

from typing import Final

from django.http import HttpRequest, HttpResponsePermanentRedirect
from django.urls import URLPattern, path

from brokerui.accounts.access import public

FORMER: Final = {
    "accounts/": "/account/",
    "admin/": "/tables/",
    "import/": "/imports/",
    "messaging/connections/": "/connections/",
    "messaging/delayed/": "/delayed/",
    "messaging/mirrors/": "/mirrors/",
    "messaging/queues/": "/queues/",
    "tables/estate/auditentry/": "/audit/",
}
"""From the former prefix to the one of today."""


class PermanentRedirectKeepingMethod(HttpResponsePermanentRedirect):
    """308: the client repeats the request as it was."""

    status_code = 308


@public
def moved(request: HttpRequest, prefix: str, rest: str = "") -> PermanentRedirectKeepingMethod:
    """Redirect to the address that begins with `prefix`."""
    query = request.META.get("QUERY_STRING", "")
    return PermanentRedirectKeepingMethod(f"{prefix}{rest}{'?' if query else ''}{query}")


urlpatterns: list[URLPattern] = [
    path(f"{former}{rest}", moved, {"prefix": prefix}, name="moved")
    for former, prefix in FORMER.items()
    for rest in ("", "<path:rest>")
]

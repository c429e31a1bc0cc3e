"""Values for every page's template."""

from typing import Any

from django.conf import settings
from django.db import DatabaseError
from django.http import HttpRequest
from django.utils.timezone import now

from brokerui.accounts.levels import UserAccess
from brokerui.analysis.overview.alerts import alerts_latest
from brokerui.core.moments import offset_name, zone_name
from brokerui.pages.shell.navigation import navigation
from brokerui.pages.shell.theme import preferences_shown


def page(request: HttpRequest) -> dict[str, Any]:
    """`preferences`, the `zone` of moments with its distance `zone_now` from UTC, `languages` (empty where there is no
    choice); with a signed-in user `access`, `navigation`, `alerts`."""
    user = _signed_in(request)
    return {
        "preferences": preferences_shown(request, user),
        "zone": zone_name(),
        "zone_now": offset_name(now()),
        "languages": settings.LANGUAGES if len(settings.LANGUAGES) > 1 else [],
        "read_only": settings.READ_ONLY,
        "access": UserAccess(user) if user else None,
        "navigation": navigation(request) if user else (),
        "alerts": alerts_latest() if user else None,
    }


def _signed_in(request: HttpRequest) -> Any:
    """Return the user; None for visitors that are not signed in, and if the database does not answer."""
    user = getattr(request, "user", None)
    try:
        return user if user is not None and user.is_authenticated else None
    except DatabaseError:
        return None

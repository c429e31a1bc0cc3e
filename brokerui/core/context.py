"""What every page's template may use."""

from typing import Any

from django.conf import settings
from django.http import HttpRequest

from brokerui.core.navigation import navigation
from brokerui.core.theme import theme_of


def page(request: HttpRequest) -> dict[str, Any]:
    """`theme`, `navigation` and `languages` (empty where there is no choice)."""
    return {
        "theme": theme_of(request),
        "navigation": navigation(request),
        "languages": settings.LANGUAGES if len(settings.LANGUAGES) > 1 else [],
    }

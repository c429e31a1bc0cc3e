"""The number beside *Findings* in the navigation."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest

from brokerui.analysis.lint.error_badge import errors_latest


def errors(request: HttpRequest) -> dict[str, Any]:
    """`errors_found`: called by the template, after the page has set its estate."""
    return {"errors_found": lambda: errors_latest(getattr(request, "viewed", None))}

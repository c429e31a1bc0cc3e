"""System check of the settings of alerts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.conf import settings
from django.core.checks import CheckMessage, Error

from brokerui.analysis.alerts.destinations import network_of

ID = "brokerui.E016"


def settings_make_sense(app_configs: Sequence[Any] | None, **kwargs: object) -> list[CheckMessage]:
    """E016: an entry of ALERT_HOSTS that is no host and no network, SITE_URL without its scheme, or too few days."""
    found: list[CheckMessage] = [
        Error(
            f"ALERT_HOSTS has {entry!r}, which is neither the name of a host nor a network.",
            hint="Write names without scheme and port, and networks as 10.1.0.0/16, without bits of a host.",
            id=ID,
        )
        for entry in settings.ALERT_HOSTS
        if network_of(entry) is None and not _is_name(entry)
    ]
    if settings.SITE_URL and not settings.SITE_URL.startswith(("https://", "http://")):
        found.append(Error(f"SITE_URL is {settings.SITE_URL!r}.", hint="Begin it with https:// or http://.", id=ID))
    if settings.ALERTS_KEEP_DAYS < 1:
        hint = "It must be 1 or more."
        found.append(Error(f"ALERTS_KEEP_DAYS is {settings.ALERTS_KEEP_DAYS}.", hint=hint, id=ID))
    return found


def _is_name(entry: str) -> bool:
    labels = entry.rstrip(".").split(".")
    return entry.isascii() and all(label and label.replace("-", "").replace("_", "").isalnum() for label in labels)

"""Checks of the event log of an installation at its start: each problem with its remedy."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from django.conf import settings
from django.core.checks import CheckMessage, Error, Warning  # noqa: A004 - Django's names

from brokerui.eventlog.recording import can_be_logged

LEAST: Final = {
    "EVENT_LOG_SECONDS": 1,
    "EVENT_LOG_BYTES": 1024,
    "EVENT_LOG_DAYS": 0,
    "EVENT_MINUTES_DAYS": 1,
    "EVENT_HOURS_DAYS": 1,
    "EVENT_ROWS_DAYS": 1,
}


def settings_make_sense(app_configs: Sequence[Any] | None, **kwargs: object) -> list[CheckMessage]:
    """E010: sizes and times below what can be."""
    wrong = [(name, least) for name, least in LEAST.items() if getattr(settings, name) < least]
    found: list[CheckMessage] = [
        Error(f"{name} is {getattr(settings, name)}.", hint=f"It must be {least} or more.", id="brokerui.E010")
        for name, least in wrong
    ]
    if not wrong and settings.EVENT_HOURS_DAYS < settings.EVENT_MINUTES_DAYS:
        days = f"{settings.EVENT_HOURS_DAYS} days, minutes for {settings.EVENT_MINUTES_DAYS}"
        hint = "EVENT_HOURS_DAYS must not be less than EVENT_MINUTES_DAYS."
        found.append(Error(f"Counters per hour are kept for {days}.", hint=hint, id="brokerui.E010"))
    return found


def log_can_be_written(app_configs: Sequence[Any] | None, **kwargs: object) -> list[CheckMessage]:
    """W010: switched on without what writes it."""
    if not settings.EVENT_LOG or can_be_logged():
        return []
    hint = "pip install 'brokerui[pipeline]'"
    return [
        Warning("EVENT_LOG is on, and pyarrow is not installed: no events are kept.", hint=hint, id="brokerui.W010")
    ]

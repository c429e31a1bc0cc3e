"""Which alerts are announced now, and which are silenced. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Quiet:
    """A silence: while it lasts, no alert of its rule or instance is announced."""

    begins: datetime
    ends: datetime
    rule: int | None = None
    """None: of every rule."""
    instance: str = ""
    """Empty: of every instance."""
    key: str = ""
    """The object; empty: every one."""

    def covers(self, alert: Announced, now: datetime) -> bool:
        """Whether this alert is silenced at this moment."""
        if not self.begins <= now < self.ends:
            return False
        return self.rule in (None, alert.rule) and self.instance in ("", alert.instance) and self.key in ("", alert.key)


@dataclass(frozen=True, slots=True, kw_only=True)
class Announced:
    """An alert with the moments of its announcements."""

    rule: int | None
    key: str
    instance: str
    is_over: bool
    opening: datetime | None = None
    """When its opening was announced."""
    closing: datetime | None = None
    """When its end was announced."""


def is_silenced(alert: Announced, silences: Iterable[Quiet], now: datetime) -> bool:
    """Whether any silence covers the alert now."""
    return any(one.covers(alert, now) for one in silences)


def is_to_be_announced(alert: Announced, silences: Iterable[Quiet], now: datetime) -> bool:
    """Whether its opening, or the end of an announced one, is to be announced now. An alert that opened while it was
    silenced is announced once the silence ends, if it is still open."""
    is_due = alert.opening is not None and alert.closing is None if alert.is_over else alert.opening is None
    return is_due and not is_silenced(alert, silences, now)

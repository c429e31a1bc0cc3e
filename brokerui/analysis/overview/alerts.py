"""How many causes there were last: the bar of every page shows it. Read from memory, never counted for a page."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from brokerui.analysis.overview.causes import HeldCause
from routing.rules.decision import DELAYED, DROPPED

FRESH_SECONDS: Final = 15.0
"""Figures that are older are not shown with a page: its script asks for new ones."""


@dataclass(frozen=True, slots=True)
class Alerts:
    """Causes by outcome."""

    dropped: int = 0
    delayed: int = 0

    @property
    def total(self) -> int:
        return self.dropped + self.delayed

    @property
    def any(self) -> bool:
        return bool(self.dropped or self.delayed)


class _Latest:
    alerts = Alerts()
    at = float("-inf")


def alerts_note(causes: Iterable[HeldCause]) -> Alerts:
    """Remember the causes of a look."""
    counts = Counter(cause.outcome for cause in causes)
    _Latest.alerts, _Latest.at = Alerts(counts[DROPPED], counts[DELAYED]), time.monotonic()
    return _Latest.alerts


def alerts_latest() -> Alerts | None:
    """Return the counts of the last seconds; None: nobody has looked."""
    return _Latest.alerts if time.monotonic() - _Latest.at < FRESH_SECONDS else None


def forget() -> None:
    """Forget the last counts."""
    _Latest.at = float("-inf")

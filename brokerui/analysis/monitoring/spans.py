"""Over which time a chart goes, and the moments at which it looks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from brokerui.core.lasting import lasts

MINUTE_MS: Final = 60_000


@dataclass(frozen=True, slots=True)
class Span:
    """The last `minutes` minutes, with a point each `step` minutes."""

    name: str
    """As it stands in the address."""
    label: Promise
    minutes: int
    step: int

    def moments(self, now: int) -> list[int]:
        """Whole minutes, each a multiple of the step, so that all requests look at the same ones.

        The samples of a step are committed when it is over: one that has none is shown when the next is over, too."""
        step = self.step * MINUTE_MS
        last = now - now % step
        lasts((last + 2 * step - now) / 1000)
        return [last - step * number for number in range(self.minutes // self.step, -1, -1)]


SPANS: Final = (
    Span("1h", _("The last hour"), 60, 1),
    Span("6h", _("The last 6 hours"), 360, 5),
    Span("24h", _("The last 24 hours"), 1440, 15),
)
LONG_SPANS: Final = (
    *SPANS,
    Span("7d", _("The last 7 days"), 7 * 1440, 120),
    Span("30d", _("The last 30 days"), 30 * 1440, 480),
)
"""With those whose minutes have become hours: only for figures that are there for hours, too."""
BY_NAME: Final = {span.name: span for span in LONG_SPANS}


def span_of(name: str, spans: Sequence[Span] = SPANS) -> Span:
    """Return the span of this name; an unknown name gives the first one."""
    found = BY_NAME.get(name, spans[0])
    return found if found in spans else spans[0]

"""Since which boundary nothing that matters for a service has changed: so long, one answer holds."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime

from pipeline.estates import Timeline


@dataclass(slots=True)
class Epochs:
    """The boundaries by number, from 1; before the first all is as it ever was, 0."""

    boundaries: Sequence[datetime]
    for_any: list[int] = field(default_factory=lambda: [0])
    """Those that may matter for any service."""
    for_service: dict[str, list[int]] = field(default_factory=dict)
    """Those that may matter for one."""

    def since(self, service: str, interval: int) -> int:
        """The last boundary that matters for a service, not after the beginning of an interval."""
        own = self.for_service.get(service)
        return max(_last(self.for_any, interval), _last(own, interval) if own else 0)

    def since_for_any(self) -> list[int]:
        """By interval: the last boundary that may matter for any service."""
        return [_last(self.for_any, interval) for interval in range(len(self.boundaries) + 1)]


def epochs_of(timelines: Sequence[Timeline]) -> Epochs:
    """The boundaries of several timelines together."""
    moments = sorted({moment for timeline in timelines for moment in timeline.boundaries()})
    found = Epochs(moments)
    for number, moment in enumerate(moments, 1):
        for timeline in timelines:
            _mark(found, number, timeline, moment)
    return found


def _mark(found: Epochs, number: int, timeline: Timeline, moment: datetime) -> None:
    services = timeline.matters_for(moment)
    if services is None:
        found.for_any.append(number)
    else:
        for service in services:
            found.for_service.setdefault(service, [0]).append(number)


def _last(marks: list[int], interval: int) -> int:
    return marks[bisect_right(marks, interval) - 1]

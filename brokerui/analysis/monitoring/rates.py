"""Figures of all hosted instances together over time: deliveries, delays, drops, and latencies of acknowledgements.

Parts of a span that are over do not change any more: a process reads them once, however many people look.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Final

from django.db.models import F, QuerySet, Sum

from brokerui.analysis.monitoring.finished import FinishedMoments
from brokerui.analysis.monitoring.history import SamplePoint, waiting_in_all
from brokerui.analysis.monitoring.spans import MINUTE_MS, Span
from brokerui.core.deferred import defer
from brokerui.eventlog.counting import LATENCY
from brokerui.eventlog.models import HOUR, MINUTE, EventCount
from brokerui.eventlog.selectors import DUPLICATES, ENQUEUED
from brokerui.messaging.latency import quantile_ms
from routing.common.event_subclasses import ClassifySubclass

CLASSIFIED: Final = 141
"""Broker:Message Classify, once for each attempt."""
DISCARDED: Final = (140, 160, 161)


@dataclass(frozen=True, slots=True)
class Part:
    """The counts of one part of a span."""

    delivered: int = 0
    """Messages that came into the queues of their targets."""
    delayed: int = 0
    """Attempts after which messages wait."""
    dropped: int = 0
    """Messages that were discarded on their way; copies are not counted."""
    latencies: Mapping[int, int] = field(default_factory=dict)

    def within_ms(self, part: float) -> float | None:
        """The time within which this part of the messages was acknowledged."""
        return quantile_ms(self.latencies, part)


NOTHING: Final = Part()


_finished: FinishedMoments[Part] = FinishedMoments(NOTHING)
_depths: FinishedMoments[SamplePoint | None] = FinishedMoments(None)


class _Read:
    spans: frozenset[str] = frozenset()
    """Names of the spans that were read before."""


def parts_of(span: Span, now: int, *, is_large: bool = False) -> dict[int, Part]:
    """Return the parts of a span by the moment at which each ends, the oldest first. Raises `NotReadyError` while those
    of many instances are read for the first time."""
    if is_large and span.name not in _Read.spans:
        defer(("rates", span.name), partial(_parts, span, now))
    return _parts(span, now)


def _parts(span: Span, now: int) -> dict[int, Part]:
    step = span.step * MINUTE_MS
    found = _finished.read(
        span.name, span.moments(now), now, lambda missing: _read(missing[0] - step, missing[-1], step)
    )
    _Read.spans = _Read.spans | {span.name}
    return found


def forget() -> None:
    """Forget all parts."""
    _finished.forget()
    _depths.forget()
    _Read.spans = frozenset()


def depths_of(span: Span, now: int) -> list[SamplePoint]:
    """Return how much waited at the moments of a span in all transmission queues together, the oldest first."""
    found = _depths.read(
        span.name, span.moments(now), now, lambda missing: {point.at: point for point in waiting_in_all(missing)}
    )
    return [point for point in found.values() if point is not None]


def _read(since: int, until: int, step: int) -> dict[int, Part]:
    rows = _rows(since, until).annotate(ends=F("at") - F("at") % step + step).order_by()
    sums = rows.values_list("ends", "event_class", "event_subclass").annotate(times=Sum("events"), sum=Sum("messages"))
    counted: dict[int, list[tuple[int, int, int, int]]] = {}
    for ends, *counts in sums:
        counted.setdefault(ends, []).append((counts[0], counts[1], counts[2], counts[3]))
    return {ends: _part(counts) for ends, counts in counted.items()}


def _rows(since: int, until: int) -> QuerySet[EventCount]:
    classes = (ENQUEUED.event_class, CLASSIFIED, LATENCY, *DISCARDED)
    rows = EventCount.objects.filter(seconds__in=(MINUTE, HOUR), at__gte=since, at__lt=until, event_class__in=classes)
    return rows.exclude(event_class=DUPLICATES.event_class, error__in=DUPLICATES.errors)


def _part(counts: Iterable[tuple[int, int, int, int]]) -> Part:
    sums, latencies = Counter[str](), Counter[int]()
    for event_class, subclass, events, messages in counts:
        if event_class == LATENCY:
            latencies[subclass] += events
        elif event_class in DISCARDED:
            sums["dropped"] += events
        elif event_class == CLASSIFIED and subclass == ClassifySubclass.DELAYED:
            sums["delayed"] += events
        elif event_class == ENQUEUED.event_class and subclass in ENQUEUED.subclasses:
            sums["delivered"] += messages
    return Part(**sums, latencies=latencies)

"""Figures of all hosted instances together over time: deliveries, delays, drops, and latencies of acknowledgements.

All parts of a span but the last do not change any more: a process reads them once, however many people look.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Final

from django.db.models import F, QuerySet, Sum

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


class _Finished:
    """By step, in minutes: the parts that are over, by the moment at which each ends."""

    parts: dict[int, dict[int, Part]] = {}
    read: frozenset[str] = frozenset()
    """Names of the spans that were read before."""
    depths: dict[str, dict[int, SamplePoint | None]] = {}
    """By name of the span: how much waited at the moments that are over; None: nobody looked."""


def parts_of(span: Span, now: int, *, is_large: bool = False) -> dict[int, Part]:
    """Return the parts of a span by the moment at which each ends, the oldest first. Raises `NotReadyError` while those
    of many instances are read for the first time."""
    if is_large and span.name not in _Finished.read:
        defer(("rates", span.name), partial(_parts, span, now))
    return _parts(span, now)


def _parts(span: Span, now: int) -> dict[int, Part]:
    moments, step = span.moments(now), span.step * MINUTE_MS
    known = _Finished.parts.get(span.step, {})
    missing = [at for at in moments if at not in known] or moments[-1:]
    read = _read(missing[0] - step, moments[-1], step)
    found = {at: known.get(at) or read.get(at, NOTHING) for at in moments}
    over = {at: found[at] for at in moments[:-1]}
    _Finished.parts = {**_Finished.parts, span.step: over}
    _Finished.read = _Finished.read | {span.name}
    return found


def forget() -> None:
    """Forget all parts."""
    _Finished.parts = {}
    _Finished.depths = {}
    _Finished.read = frozenset()


def depths_of(span: Span, now: int) -> list[SamplePoint]:
    """Return how much waited at the moments of a span in all transmission queues together, the oldest first."""
    moments = span.moments(now)
    known = _Finished.depths.get(span.name, {})
    read = {point.at: point for point in waiting_in_all([at for at in moments if at not in known])}
    found = {at: known[at] if at in known else read.get(at) for at in moments}
    over = {at: found[at] for at in moments[:-1]}
    _Finished.depths = {**_Finished.depths, span.name: over}
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

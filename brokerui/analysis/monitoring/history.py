"""Samples of the event log, one each minute, as series over time."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, NamedTuple

from django.db.models import Max, Q, QuerySet, Sum

from brokerui.analysis.monitoring.spans import MINUTE_MS, Span
from brokerui.eventlog.models import HOUR, MINUTE, Sampled
from brokerui.eventlog.samples import OfSample
from brokerui.eventlog.selectors import SENT, counted_by_database
from brokerui.messaging.queue_address import QueueAddress

MOST_SERIES: Final = 6
"""Lines of a chart; those with most at the end are shown, the others are one line together."""
RATE_MINUTES: Final = 5
"""Whole minutes that a rate is the mean of."""
LATE_MS: Final = 3 * 60_000
"""A look that is longer ago says nothing of now."""


class SamplePoint(NamedTuple):
    """A figure at a moment, in milliseconds since 1970."""

    at: int
    depth: int
    oldest_age_ms: int | None
    role: str


Place = tuple[str, str, str, int]
"""Subject of a sample: instance, database, name and error."""
_PLACE: Final = ("instance", "database", "name", "error")


def series(kind: OfSample, span: Span, now: int) -> Mapping[Place, list[SamplePoint]]:
    """Return the series of all places of a kind, oldest point first; for kinds with few places."""
    return _series(_looks(kind, span, now))


def largest(kind: OfSample, span: Span, now: int) -> tuple[Mapping[Place, list[SamplePoint]], list[SamplePoint]]:
    """The places that had most when it was looked last, the largest first; and all others together.

    However many places there are, the rows that are read are as many as the chart shows.
    """
    looks = _looks(kind, span, now)
    last = looks.aggregate(last=Max("at"))["last"]
    most = looks.filter(at=last).order_by("-depth", *_PLACE).values_list(*_PLACE)[: MOST_SERIES + 1]
    places = [(one[0], one[1], one[2], one[3]) for one in most]
    if len(places) <= MOST_SERIES:
        found = _series(looks)
        return {place: found[place] for place in sorted(found, key=lambda one: (-found[one][-1].depth, one))}, []
    kept = places[: MOST_SERIES - 1]
    found = _series(looks.filter(_among(kept)))
    return {place: found[place] for place in kept}, together(looks.exclude(_among(kept)))


def samples_of_queue(queue: QueueAddress, span: Span, now: int) -> list[SamplePoint]:
    """The samples of one queue, the oldest first."""
    rows = _looks(OfSample.QUEUE, span, now).filter(instance=queue.instance, database=queue.database, name=queue.queue)
    return [SamplePoint(*row) for row in rows.order_by("at").values_list("at", "depth", "oldest_age_ms", "role")]


def flows_of_queue(queue: QueueAddress, services: Sequence[str], span: Span, now: int) -> list[dict[int, float]]:
    """Messages a minute that came into a queue, which has these services, and that were received from it: the mean
    until each moment of the span since the one before."""
    step, last = span.step * MINUTE_MS, span.moments(now)[-1]
    names = Q(kind=int(OfSample.RECEIVED), name=queue.queue) | Q(kind=int(OfSample.ENQUEUED), name__in=services)
    since = {"at__gte": last - span.minutes * MINUTE_MS - step, "at__lt": last}
    rows = Sampled.objects.filter(names, seconds=MINUTE, instance=queue.instance, database=queue.database, **since)
    found: tuple[dict[int, float], ...] = ({}, {})
    for kind, at, messages in rows.values_list("kind", "at", "depth"):
        flow, moment = found[kind == OfSample.RECEIVED], at - at % step + step
        flow[moment] = flow.get(moment, 0) + messages / span.step
    return list(found)


def transmission_rates(now: int) -> dict[tuple[str, str], tuple[float, float]]:
    """Messages a minute that came into each transmission queue and that left it, by instance and database: the mean
    between two samples that are `RATE_MINUTES` apart.

    Those that left are those that came, less the growth of the depth. Empty: the samples are not there.
    """
    looks = Sampled.objects.filter(seconds=MINUTE, kind=int(OfSample.TRANSMISSION_QUEUE), at__gte=now - LATE_MS)
    last = looks.aggregate(last=Max("at"))["last"]
    if last is None:
        return {}
    first = last - RATE_MINUTES * MINUTE_MS
    depths: dict[int, dict[tuple[str, str], int]] = {first: {}, last: {}}
    both = Sampled.objects.filter(seconds=MINUTE, kind=int(OfSample.TRANSMISSION_QUEUE), at__in=(first, last))
    for at, instance, database, depth in both.values_list("at", "instance", "database", "depth"):
        depths[at][instance, database] = depth
    came = counted_by_database(SENT, since=first, until=last)
    places = depths[first].keys() & depths[last].keys()
    more = {place: depths[last][place] - depths[first][place] for place in places}
    return {place: _rates(came.get(place, 0), more[place]) for place in places}


def _rates(came: int, more: int) -> tuple[float, float]:
    """Where more are there than the counters have, they came at the edge of the span."""
    return max(came, more) / RATE_MINUTES, max(came - more, 0) / RATE_MINUTES


def oldest(now: int) -> dict[tuple[str, str], int]:
    """The age of the oldest message of each transmission queue, by instance and database, when it was looked last.

    Where that is some minutes ago, nobody knows.
    """
    recent = Sampled.objects.filter(seconds=MINUTE, at__gte=now - LATE_MS, kind=int(OfSample.TRANSMISSION_QUEUE))
    rows = recent.exclude(oldest_age_ms=None).order_by("at").values_list("instance", "database", "oldest_age_ms")
    return {(instance, database): age for instance, database, age in rows if age is not None}


def oldest_by_status(now: int) -> dict[tuple[str, str, int], int]:
    """By instance, database and status: how old the oldest message of the waiting conversations is by now, as far as
    it was looked at in the last minutes."""
    recent = Sampled.objects.filter(seconds=MINUTE, at__gte=now - LATE_MS, kind=int(OfSample.WAITING_CONVERSATIONS))
    rows = recent.exclude(oldest_age_ms=None).order_by("at")
    columns = rows.values_list("instance", "database", "error", "at", "oldest_age_ms")
    return {(one, two, error): age + now - at for one, two, error, at, age in columns if age is not None}


def by_error(kind: OfSample, span: Span, now: int) -> Mapping[int, list[SamplePoint]]:
    """The sums over all instances and databases, by error."""
    found: dict[int, list[SamplePoint]] = defaultdict(list)
    rows = _looks(kind, span, now).values("error", "at").annotate(depths=Sum("depth"), age=Max("oldest_age_ms"))
    for error, at, depths, age in rows.order_by("at").values_list("error", "at", "depths", "age"):
        found[error].append(SamplePoint(at, depths, age, ""))
    return found


def waiting_in_all(moments: Sequence[int]) -> list[SamplePoint]:
    """How much waited in the transmission queues of all hosted instances together, the oldest point first.

    Of moments whose minutes have become hours, the figures are those of the hour.
    """
    kinds = {"kind": int(OfSample.TRANSMISSION_QUEUE), "seconds__in": (MINUTE, HOUR)}
    return together(Sampled.objects.filter(at__in=moments, **kinds)) if moments else []


def waiting_in_some(
    moments: Sequence[int], places: Sequence[tuple[str, str]]
) -> Mapping[tuple[str, str], dict[int, int]]:
    """Messages that waited in the transmission queues of these databases, by moment; one query."""
    if not places or not moments:
        return {}
    among = Q()
    for instance, database in places:
        among |= Q(instance=instance, database=database)
    rows = Sampled.objects.filter(
        among, at__in=moments, kind=int(OfSample.TRANSMISSION_QUEUE), seconds__in=(MINUTE, HOUR)
    )
    found: dict[tuple[str, str], dict[int, int]] = {place: {} for place in places}
    for instance, database, at, depth in rows.values_list("instance", "database", "at", "depth"):
        found[instance, database][at] = depth
    return found


def together(looks: QuerySet[Sampled]) -> list[SamplePoint]:
    """One series of several: depths add up, of the ages the highest counts."""
    rows = looks.values("at").annotate(depths=Sum("depth"), age=Max("oldest_age_ms")).order_by("at")
    return [SamplePoint(at, depths, age, "") for at, depths, age in rows.values_list("at", "depths", "age")]


def _looks(kind: OfSample, span: Span, now: int) -> QuerySet[Sampled]:
    return Sampled.objects.filter(seconds=MINUTE, at__in=span.moments(now), kind=int(kind))


def _among(places: Iterable[Place]) -> Q:
    found = Q()
    for place in places:
        found |= Q(**dict(zip(_PLACE, place, strict=True)))
    return found


def _series(looks: QuerySet[Sampled]) -> dict[Place, list[SamplePoint]]:
    found: dict[Place, list[SamplePoint]] = defaultdict(list)
    rows = looks.order_by("at").values_list(*_PLACE, "at", "depth", "oldest_age_ms", "role")
    for instance, database, name, error, *point in rows:
        found[instance, database, name, error].append(SamplePoint(*point))
    return found

"""Samples of the event log, one each minute, as series over time."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Final, NamedTuple

from django.db.models import Max, Q, QuerySet, Sum

from brokerui.analysis.monitoring.finished import LATE_MS, FinishedMoments
from brokerui.analysis.monitoring.spans import MINUTE_MS, Span
from brokerui.eventlog.models import HOUR, MINUTE, Sampled
from brokerui.eventlog.samples import OfSample
from brokerui.eventlog.selectors import SENT, counted_by_database
from brokerui.messaging.queue_address import QueueAddress

MOST_SERIES: Final = 6
"""Lines of a chart; those with most at the end are shown, the others are one line together."""
RATE_MINUTES: Final = 5
"""Whole minutes that a rate is the mean of."""


class SamplePoint(NamedTuple):
    """A figure at a moment, in milliseconds since 1970."""

    at: int
    depth: int
    oldest_age_ms: int | None
    role: str


Place = tuple[str, str, str, int]
"""Subject of a sample: instance, database, name and error."""
_PLACE: Final = ("instance", "database", "name", "error")
_of_places: FinishedMoments[Sequence[tuple[Place, SamplePoint]]] = FinishedMoments(())
_of_all: FinishedMoments[SamplePoint | None] = FinishedMoments(None)
_of_errors: FinishedMoments[Mapping[int, SamplePoint]] = FinishedMoments({})


def forget() -> None:
    """Forget the moments that are over."""
    for kept in (_of_places, _of_all, _of_errors):
        kept.forget()


def series(kind: OfSample, span: Span, now: int) -> Mapping[Place, list[SamplePoint]]:
    """Return the series of all places of a kind, oldest point first; for kinds with few places."""
    return _series(_looks(kind, span.moments(now)))


def largest(kind: OfSample, span: Span, now: int) -> tuple[Mapping[Place, list[SamplePoint]], list[SamplePoint]]:
    """The places that had most when it was looked last, the largest first; and all others together.

    However many places there are, the rows that are read are as many as the chart shows.
    """
    moments = span.moments(now)
    rows = _of_kind(kind)
    last = rows.filter(at__in=moments).order_by("-at").values_list("at", flat=True).first()
    if last is None:
        return {}, []
    most = rows.filter(at=last).order_by("-depth", *_PLACE).values_list(*_PLACE)[: MOST_SERIES + 1]
    places = [(one[0], one[1], one[2], one[3]) for one in most]
    if len(places) <= MOST_SERIES:
        found = _series_of((kind, span.name), moments, now, rows)
        return {place: found[place] for place in sorted(found, key=lambda one: (-found[one][-1].depth, one))}, []
    kept = places[: MOST_SERIES - 1]
    key = (kind, span.name, *kept)
    found = _series_of(key, moments, now, rows.filter(_among(kept)))
    others = rows.exclude(_among(kept))
    sums = _of_all.read(
        key, moments, now, lambda missing: {one.at: one for one in together(others.filter(at__in=missing))}
    )
    return {place: found[place] for place in kept}, [point for point in sums.values() if point is not None]


def samples_of_queue(queue: QueueAddress, span: Span, now: int) -> list[SamplePoint]:
    """The samples of one queue, the oldest first."""
    place = {"instance": queue.instance, "database": queue.database, "name": queue.queue}
    rows = _looks(OfSample.QUEUE, span.moments(now)).filter(**place)
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
    moments = span.moments(now)
    found: dict[int, list[SamplePoint]] = defaultdict(list)
    for sums in _of_errors.read((kind, span.name), moments, now, partial(_errors, kind)).values():
        for error, point in sums.items():
            found[error].append(point)
    return found


def _errors(kind: OfSample, moments: Sequence[int]) -> dict[int, dict[int, SamplePoint]]:
    found: dict[int, dict[int, SamplePoint]] = defaultdict(dict)
    rows = _looks(kind, moments).values("error", "at").annotate(depths=Sum("depth"), age=Max("oldest_age_ms"))
    for error, at, depths, age in rows.order_by("at", "error").values_list("error", "at", "depths", "age"):
        found[at][error] = SamplePoint(at, depths, age, "")
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


def _of_kind(kind: OfSample) -> QuerySet[Sampled]:
    return Sampled.objects.filter(seconds=MINUTE, kind=int(kind))


def _looks(kind: OfSample, moments: Sequence[int]) -> QuerySet[Sampled]:
    return _of_kind(kind).filter(at__in=moments)


def _among(places: Iterable[Place]) -> Q:
    found = Q()
    for place in places:
        found |= Q(**dict(zip(_PLACE, place, strict=True)))
    return found


def _series(looks: QuerySet[Sampled]) -> dict[Place, list[SamplePoint]]:
    found: dict[Place, list[SamplePoint]] = defaultdict(list)
    for place, point in _points(looks):
        found[place].append(point)
    return found


def _series_of(
    key: Hashable, moments: Sequence[int], now: int, rows: QuerySet[Sampled]
) -> dict[Place, list[SamplePoint]]:
    """The same; moments that are over are read once."""
    found: dict[Place, list[SamplePoint]] = defaultdict(list)
    for points in _of_places.read(key, moments, now, partial(_by_moment, rows)).values():
        for place, point in points:
            found[place].append(point)
    return found


def _by_moment(rows: QuerySet[Sampled], moments: Sequence[int]) -> dict[int, list[tuple[Place, SamplePoint]]]:
    found: dict[int, list[tuple[Place, SamplePoint]]] = defaultdict(list)
    for place, point in _points(rows.filter(at__in=moments)):
        found[point.at].append((place, point))
    return found


def _points(looks: QuerySet[Sampled]) -> Iterator[tuple[Place, SamplePoint]]:
    rows = looks.order_by("at").values_list(*_PLACE, "at", "depth", "oldest_age_ms", "role")
    for instance, database, name, error, *point in rows:
        yield (instance, database, name, error), SamplePoint(*point)

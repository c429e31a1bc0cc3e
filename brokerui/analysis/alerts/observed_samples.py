"""The samples of the last minute, as the objects of rules: depths, ages, principals."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final
from urllib.parse import urlencode

from django.urls import reverse

from brokerui.analysis.alerts.evaluation import Observed
from brokerui.analysis.monitoring.finished import LATE_MS
from brokerui.analysis.monitoring.history import SamplePoint, series
from brokerui.analysis.monitoring.roles import handed_over
from brokerui.analysis.monitoring.spans import BY_NAME
from brokerui.eventlog.models import Sampled
from brokerui.eventlog.samples import OfSample
from brokerui.eventlog.selectors import latest_samples
from routing.common.sentence import Sentence, say
from routing.model.estate import PRINCIPAL

MINUTE_MS: Final = 60_000
HOUR: Final = BY_NAME["1h"]


def samples_now(now: int) -> list[Sampled] | None:
    """The samples of queues of the last look; None: it is some minutes ago."""
    found = latest_samples()
    if not found or found[0].at < now - LATE_MS:
        return None
    return [one for one in found if one.kind in {OfSample.QUEUE, OfSample.TRANSMISSION_QUEUE}]


def depths(samples: Sequence[Sampled]) -> Iterator[Observed]:
    """Queues and transmission queues, each with its messages."""
    return (_observed(one, one.depth, _many(one)) for one in samples)


def ages(samples: Sequence[Sampled]) -> Iterator[Observed]:
    """Queues and transmission queues that are not empty, each with the minutes that the oldest message has waited."""
    return (
        _observed(one, one.oldest_age_ms / MINUTE_MS, _long(one)) for one in samples if one.oldest_age_ms is not None
    )


def _observed(one: Sampled, figure: float, heading: Sentence) -> Observed:
    query = urlencode({"instance": one.instance, "database": one.database})
    return Observed(
        key=f"{_place(one)} {one.name}".rstrip(),
        figure=figure,
        heading=heading,
        page=f"{reverse('queues:queues')}?{query}",
        instance=one.instance,
        database=one.database,
    )


def _place(one: Sampled) -> str:
    return f"{one.instance}/{one.database}"


def _many(one: Sampled) -> Sentence:
    if one.kind == OfSample.QUEUE:
        return say("Many messages wait in queue {queue} of {place}", queue=one.name, place=_place(one))
    return say("Many messages wait in the transmission queue of {place}", place=_place(one))


def _long(one: Sampled) -> Sentence:
    if one.kind == OfSample.QUEUE:
        return say("Messages wait long in queue {queue} of {place}", queue=one.name, place=_place(one))
    return say("Messages wait long in the transmission queue of {place}", place=_place(one))


def principals(now: int) -> Iterator[Observed]:
    """Mirrored routes and databases, each with the changes of its principal within the last hour."""
    for (instance, _, name, _), points in series(OfSample.MIRRORED_ROUTE, HOUR, now).items():
        route = " ".join(name.split(" ")[:3])
        heading = say("The mirrored route {route} of {instance} has another principal", route=route, instance=instance)
        yield _principal(f"{instance} {name}", points, heading, instance, "")
    for (instance, database, _, _), points in series(OfSample.MIRRORING_ROLE, HOUR, now).items():
        place = f"{instance}/{database}"
        heading = say("{place} has become the mirror", place=place)
        if points[-1].role == PRINCIPAL:
            heading = say("{place} has become the principal", place=place)
        yield _principal(place, points, heading, instance, database)


def _principal(key: str, points: Sequence[SamplePoint], heading: Sentence, instance: str, database: str) -> Observed:
    return Observed(
        key=key,
        figure=handed_over(points),
        heading=heading,
        page=reverse("mirrors:mirrors"),
        instance=instance,
        database=database,
    )

"""Verdicts of all pairs of an estate: computed at once for small estates, read from the database for large ones."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial

from brokerui.analysis.lint.estate_target import EstateTarget
from brokerui.analysis.reachability.matrix import Matrix, matrix_of
from brokerui.analysis.reachability.models import Survey
from brokerui.analysis.reachability.packing import unpacked
from brokerui.analysis.reachability.services import request_survey, since_text
from brokerui.changes.estate_view import EstateView
from brokerui.core.cache import LruCache
from brokerui.core.deferred import defer, may_defer
from brokerui.core.jobs.models import Job
from routing.classes.reachability import entry_points, service_names, settled_since
from routing.common.gc_control import gc_paused
from routing.model.estate import Estate

SMALL = 12_000
"""Hops that are decided while the page waits: a twentieth of a second."""
LONG = 60_000
"""An estate with more hops than this is read beside the request."""
PART = 100
"""Names of a larger estate that are asked about at once, while a worker works out the rest."""
LATE = timedelta(seconds=20)
"""A running worker takes up a requested job within this time; after it, the page says that no worker runs."""
KEPT_SMALL, KEPT_LARGE = 32, 3

_small: LruCache[Matrix] = LruCache(KEPT_SMALL)
_large: LruCache[Matrix] = LruCache(KEPT_LARGE)
_parts: LruCache[Matrix] = LruCache(KEPT_LARGE)
_names: LruCache[tuple[str, ...]] = LruCache(KEPT_SMALL)
_since: LruCache[datetime | None] = LruCache(KEPT_SMALL)


@dataclass(frozen=True)
class KnownPairs:
    """A matrix, and whether it covers all requested names."""

    matrix: Matrix
    job: Job | None = None
    """The background job that works out the rest; one that has ended failed or was cancelled."""
    of_names: int = 0
    """Number of names, where the matrix is a part."""

    @property
    def is_whole(self) -> bool:
        return not self.of_names

    @property
    def is_late(self) -> bool:
        """Whether no worker has claimed the job although one would have by now."""
        return self.job is not None and self.job.is_late(LATE)


def kept_under(viewed: EstateView, known: KnownPairs) -> Hashable | None:
    """Return the key under which pages cache it: its content, its name and its moment; None while it is a part."""
    if known.job is not None:
        return None
    return viewed.key, viewed.address, since_of(viewed, viewed.at())


def names_of(viewed: EstateView) -> tuple[str, ...]:
    """Every service name of the estate, sorted."""
    return _names.get_or_make(viewed.key, lambda: tuple(service_names(viewed.estate)))


def known_of(viewed: EstateView, names: Sequence[str]) -> KnownPairs:
    """Return the known pairs, at least those of the first of these names."""
    at, estate = viewed.at(), viewed.estate
    since = since_of(viewed, at)
    if is_small(estate):
        return KnownPairs(_small.get_or_make((viewed.key, since), lambda: matrix_of(estate, at, names_of(viewed))))
    part, is_long, is_kept = tuple(names[:PART]), _hops(estate) > LONG, _large.has((viewed.key, since))
    survey = survey_of(viewed, with_data=not is_kept and not (is_long and may_defer()))
    job = request_survey(EstateTarget.of(viewed), since, at) if survey is None else None
    is_there = _parts.has((viewed.key, since, part)) if survey is None else is_kept
    if not is_there and is_long:
        defer(("pairs", viewed.key, since), partial(known_of, viewed, names))
    if survey is not None:
        try:
            return KnownPairs(_large.get_or_make((viewed.key, since), partial(_read, viewed, survey)))
        except Survey.DoesNotExist:  # deleted just now, because others were asked for since
            job = request_survey(EstateTarget.of(viewed), since, at)
    matrix = _parts.get_or_make((viewed.key, since, part), lambda: matrix_of(estate, at, part))
    return KnownPairs(matrix, job, len(names) if len(part) < len(names) else 0)


def since_of(viewed: EstateView, at: datetime) -> datetime | None:
    """The last expiry of a route. It is looked for once a minute at the most: they are told to the second by nobody."""
    minute = at.replace(second=0, microsecond=0) if viewed.moment is None else at
    return _since.get_or_make((viewed.key, minute), lambda: settled_since(viewed.estate, at))


def survey_of(viewed: EstateView, *, with_data: bool = False) -> Survey | None:
    """The survey of this estate; None if it is not worked out. Without `with_data`, its data is read when asked for."""
    since = since_text(since_of(viewed, viewed.at()))
    found = Survey.objects.filter(key=viewed.key, since=since)
    return (found if with_data else found.defer("data")).first()


def job_of(viewed: EstateView) -> Job | None:
    """The background job that works out this estate, requested if need be; None if the survey is there."""
    if survey_of(viewed) is not None:
        return None
    at = viewed.at()
    return request_survey(EstateTarget.of(viewed), since_of(viewed, at), at)


def is_worked_out(viewed: EstateView) -> bool:
    """Whether a page would find all of it; nobody is asked for it."""
    if is_small(viewed.estate):
        return True
    since = since_text(since_of(viewed, viewed.at()))
    return Survey.objects.filter(key=viewed.key, since=since).exists()


def is_small(estate: Estate) -> bool:
    """Whether all of it can be worked out while the page waits."""
    return _hops(estate) <= SMALL


def _hops(estate: Estate) -> int:
    """To decide for all pairs."""
    hops = 0
    for instance in estate.instances.values():
        hops += sum(len(table.named) for table in instance.tables.values())
        hops += len(instance.targets) * len(instance.tables) + len(instance.tables)
    return hops


def _read(viewed: EstateView, survey: Survey) -> Matrix:
    data = bytes(survey.data)
    with gc_paused():
        return unpacked(data, tuple(entry_points(viewed.estate)), names_of(viewed))

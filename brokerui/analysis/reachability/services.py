"""Working estates out in the background."""

from __future__ import annotations

import time
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from brokerui.analysis.lint.wanted import Wanted
from brokerui.analysis.reachability.matrix import matrix_of
from brokerui.analysis.reachability.models import Survey
from brokerui.analysis.reachability.packing import packed
from brokerui.core.celery_wake import wake_on_commit
from routing.classes.reachability import service_names
from routing.common.moment import format_moment

LAPSE = timedelta(minutes=2)
"""A worker that said nothing for so long is no more."""
TOLD = 0.5
"""Seconds between two words on how far it is."""
KEPT = 8
"""So many surveys are kept."""


def survey_want(wanted: Wanted, since: datetime | None, at: datetime) -> Survey:
    """Have a worker work it out, unless one has been asked already."""
    place = {"scenario": wanted.scenario, "version": wanted.version, "at": at, "asked_at": timezone.now()}
    with transaction.atomic():
        row, is_new = Survey.objects.get_or_create(key=wanted.key, since=since_text(since), defaults=place)
        if is_new:
            _wake()
    return row


def since_text(since: datetime | None) -> str:
    """As the row holds it."""
    return format_moment(since) if since else ""


def _wake() -> None:
    from brokerui.analysis.reachability.tasks import survey_refresh  # noqa: PLC0415 - which calls this module

    wake_on_commit(survey_refresh)


def survey_do() -> bool:
    """Work out what was asked for longest ago; False where nothing is left to do."""
    row = _taken()
    if row is None:
        return False
    estate = Wanted(row.key, scenario=row.scenario, version=row.version).estate()
    if estate is None:
        row.delete()
        return True
    names, begun = service_names(estate), time.perf_counter()
    Survey.objects.filter(id=row.id).update(total=len(names))
    matrix = matrix_of(estate, row.at, names, _Progress(row.id).tell)
    seconds = time.perf_counter() - begun
    Survey.objects.filter(id=row.id).update(
        data=packed(matrix), finished_at=timezone.now(), done=len(names), seconds=seconds
    )
    return True


class _Progress:
    """Tells how far it is, not more often than anybody looks."""

    def __init__(self, row_id: int) -> None:
        self._row_id = row_id
        self._told = time.perf_counter()

    def tell(self, done: int) -> None:
        if time.perf_counter() - self._told >= TOLD:
            Survey.objects.filter(id=self._row_id).update(done=done, begun_at=timezone.now())
            self._told = time.perf_counter()


def _taken() -> Survey | None:
    """The next one, which nobody else takes now."""
    now = timezone.now()
    free = Survey.objects.filter(finished_at=None).filter(Q(begun_at=None) | Q(begun_at__lt=now - LAPSE))
    for row in free.defer("data"):
        if free.filter(id=row.id).update(begun_at=now):
            return row
    return None


def surveys_prune() -> int:
    """Delete all but the newest; so many are gone."""
    finished = Survey.objects.exclude(finished_at=None)
    kept = list(finished.order_by("-finished_at").values_list("id", flat=True)[:KEPT])
    return finished.exclude(id__in=kept).delete()[0]

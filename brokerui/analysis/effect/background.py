"""Effects that a background job works out, kept for all processes."""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import datetime
from typing import Any

from django.db import transaction
from django.utils import timezone

from brokerui.analysis.effect.change import Change, change_from_json
from brokerui.analysis.effect.ends import Ends
from brokerui.analysis.effect.models import KeptEffect
from brokerui.analysis.effect.packing import packed, unpacked
from brokerui.core.cache import LruCache
from brokerui.core.jobs.models import Job
from brokerui.core.jobs.requests import request
from brokerui.estate.selectors import LiveEstate
from routing.classes.reachability import expiries, last_until
from routing.common.moment import format_moment

COMPARISON = "comparison"
"""The kind of background jobs that compare the conversations of two estates."""
KEPT = 32
"""Effects that are kept."""
_expiries: LruCache[tuple[datetime, ...]] = LruCache(KEPT)


def since_of(change: Change, at: datetime) -> str:
    """Return the last expiry of a route in either estate: until the next one the effect is the same. Empty: none."""

    def last_of(one: LiveEstate) -> datetime | None:
        return last_until(_expiries.get_or_make(one.digest, lambda: expiries(one.estate)), at)

    found = [moment for moment in map(last_of, (change.before, change.after)) if moment is not None]
    return format_moment(max(found)) if found else ""


def payload_of(change: Change, at: datetime) -> dict[str, Any]:
    """Return what a worker has to know of a comparison."""
    before, after = change.digests
    return {**change.source.as_json(), "before": before, "after": after, "moment": format_moment(at)}


def change_of_job(job: Job) -> Change | None:
    """Return the change of a job; None where it has become another one since the request, or its draft is gone."""
    change = change_from_json(job.payload)
    is_same = change is not None and change.digests == (job.payload["before"], job.payload["after"])
    return change if is_same else None


def kept_ends(change: Change, at: datetime) -> Ends | None:
    """Return the effect that a job has worked out; None where none has."""
    before, after = change.digests
    rows = KeptEffect.objects.filter(before=before, after=after, since=since_of(change, at))
    data = rows.values_list("data", flat=True).first()
    return None if data is None else unpacked(bytes(data))


def request_comparison(change: Change, at: datetime) -> Job:
    """Have a worker compare. Returns the open job, or the one that failed or was cancelled lately."""
    key = " ".join((*change.digests, since_of(change, at))).strip()
    return request(COMPARISON, key, payload_of(change, at))


def effect_keep(change: Change, at: datetime, compared: Callable[[], Ends], hold: Callable[[], None]) -> None:
    """Write what `compared` returns; `hold` keeps the claim of the job in the same transaction."""
    begun, (before, after) = time.perf_counter(), change.digests
    data = packed(compared())
    values = {"data": data, "finished_at": timezone.now(), "seconds": time.perf_counter() - begun}
    with transaction.atomic():
        KeptEffect.objects.update_or_create(before=before, after=after, since=since_of(change, at), defaults=values)
        hold()


def effects_prune() -> int:
    """Delete all kept effects but the newest; return how many."""
    kept = list(KeptEffect.objects.order_by("-finished_at").values_list("id", flat=True)[:KEPT])
    return KeptEffect.objects.exclude(id__in=kept).delete()[0]

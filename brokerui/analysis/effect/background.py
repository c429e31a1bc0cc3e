"""Effects that a background job works out, kept for all processes."""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import datetime

from django.db import transaction
from django.utils import timezone

from brokerui.analysis.effect.ends import Ends
from brokerui.analysis.effect.models import KeptEffect
from brokerui.analysis.effect.packing import packed, unpacked
from brokerui.core.cache import LruCache
from brokerui.core.jobs.models import Job
from brokerui.core.jobs.requests import request
from brokerui.estate.selectors import LiveEstate
from routing.classes.reachability import settled_since
from routing.common.moment import format_moment

COMPARISON = "comparison"
"""The kind of background jobs that compare the conversations of a draft with those of its base."""
KEPT = 32
"""Effects that are kept."""
_since: LruCache[datetime | None] = LruCache(KEPT)


def since_of(before: LiveEstate, after: LiveEstate, at: datetime) -> str:
    """Return the last expiry of a route in either estate: until the next one the effect is the same. Empty: none."""
    minute = at.replace(second=0, microsecond=0)

    def last_of(one: LiveEstate) -> datetime | None:
        return _since.get_or_make((one.digest, minute), lambda: settled_since(one.estate, at))

    found = max((moment for moment in map(last_of, (before, after)) if moment is not None), default=None)
    return format_moment(found) if found else ""


def kept_ends(before: LiveEstate, after: LiveEstate, at: datetime) -> Ends | None:
    """Return the effect that a job has worked out; None where none has."""
    rows = KeptEffect.objects.filter(before=before.digest, after=after.digest)
    data = rows.filter(since=since_of(before, after, at)).values_list("data", flat=True).first()
    return None if data is None else unpacked(bytes(data))


def request_comparison(draft: int, before: LiveEstate, after: LiveEstate, at: datetime) -> Job:
    """Have a worker compare them. Returns the open job, or the one that failed or was cancelled lately."""
    payload = {"draft": draft, "before": before.digest, "after": after.digest, "moment": format_moment(at)}
    return request(COMPARISON, f"{before.digest} {after.digest} {since_of(before, after, at)}".strip(), payload)


def effect_keep(
    before: LiveEstate, after: LiveEstate, at: datetime, compared: Callable[[], Ends], hold: Callable[[], None]
) -> None:
    """Write what `compared` returns; `hold` keeps the claim of the job in the same transaction."""
    begun = time.perf_counter()
    data = packed(compared())
    values = {"data": data, "finished_at": timezone.now(), "seconds": time.perf_counter() - begun}
    since = since_of(before, after, at)
    with transaction.atomic():
        KeptEffect.objects.update_or_create(before=before.digest, after=after.digest, since=since, defaults=values)
        hold()


def effects_prune() -> int:
    """Delete all kept effects but the newest; return how many."""
    kept = list(KeptEffect.objects.order_by("-finished_at").values_list("id", flat=True)[:KEPT])
    return KeptEffect.objects.exclude(id__in=kept).delete()[0]

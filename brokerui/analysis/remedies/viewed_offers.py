"""The remedies that a page or a resource shows: tried for a second of each request, and kept for the next one."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

from brokerui.analysis.lint.remedy_offer import NO_REMEDY, RemedyOffer
from brokerui.analysis.lint.stored_findings import StoredFinding
from brokerui.analysis.remedies.trials import RemedyTrials
from brokerui.changes.estate_view import EstateView
from brokerui.core.cache import LruCache

TRIED_S = 1.0
"""Seconds of a request for trying remedies."""
KEPT = 2_000

_offers: LruCache[RemedyOffer] = LruCache(KEPT)


def offers_for(viewed: EstateView) -> Callable[[StoredFinding], RemedyOffer]:
    """A function that gives the remedy of a finding of this estate, tried. It is made once for a request."""
    at = viewed.at()
    trials = RemedyTrials(viewed.estate, at, TRIED_S)

    def offer(found: StoredFinding) -> RemedyOffer:
        return _kept(viewed.key, at, found, trials) if found.remedy_sql else NO_REMEDY

    return offer


def _kept(key: str, at: datetime, found: StoredFinding, trials: RemedyTrials) -> RemedyOffer:
    minute = at.replace(second=0, microsecond=0)
    place = key, minute, found.code, found.instance, found.database, found.object, found.remedy_sql
    if _offers.has(place):
        return _offers.get_or_make(place, lambda: trials.of(found.finding))
    made = trials.of(found.finding)
    return made if made.is_late else _offers.get_or_make(place, lambda: made)

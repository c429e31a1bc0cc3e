"""The effect of a change on all conversations, computed a piece at a time and cached for the next request.

The effect of a draft is the comparison of the version that it was made on with the estate that it makes; that of
further edits, not yet saved, the comparison of the draft with and without them.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cached_property, partial

from brokerui.analysis.effect.background import kept_ends, request_comparison
from brokerui.analysis.effect.conversations import answers_back, conversation_of, explained
from brokerui.analysis.effect.ends import Ends, EndsCount
from brokerui.analysis.effect.rows import EffectRow, rows_of
from brokerui.analysis.effect.weights import Weights, latest_traffic
from brokerui.changes.models import SavedDraft
from brokerui.changes.selectors import draft_base, draft_estate
from brokerui.core.cache import LruCache
from brokerui.core.deferred import defer
from brokerui.core.jobs.models import Job
from brokerui.estate.edit_list import apply_edit_list
from brokerui.estate.packing import digest_of, pack_edits
from brokerui.estate.selectors import LiveEstate
from routing.classes.indexed_estate import IndexedEstate
from routing.classes.traffic_class import Vocabulary
from routing.diff.result import WORST_FIRST, Differential, DiffGroup
from routing.diff.run import compare
from routing.model.estate import Edit, Estate

LATE = timedelta(seconds=20)
"""A running worker takes up a requested job within this time; after it, requests go on comparing themselves."""
INDEXED, KEPT = 4, 64
"""Estates with an index, and effects, that a process keeps."""
QUICK_S = 1.0
"""Seconds that a request compares; a comparison that takes longer goes on beside requests."""
ALONE_S = 0.15
"""Seconds that a request compares before it looks for the result of a background job."""
DIFFERENTIAL_HOLDS = timedelta(minutes=10)
_differentials: LruCache[tuple[Differential, datetime]] = LruCache(INDEXED)
_indexed: LruCache[IndexedEstate] = LruCache(INDEXED)
_effects: LruCache[Effect] = LruCache(KEPT)


@dataclass(frozen=True, slots=True)
class Change:
    """An estate before and after a change."""

    before: LiveEstate
    after: LiveEstate

    @property
    def digests(self) -> tuple[str, str]:
        return self.before.digest, self.after.digest

    @property
    def is_none(self) -> bool:
        return self.before.digest == self.after.digest


class Effect:
    """The effect of a change at a moment: all of it once it is settled."""

    def __init__(self, change: Change, at: datetime) -> None:
        self._change, self._at = change, at
        self._guard = threading.Lock()
        self._count: EndsCount | None = None
        self._kept: Ends | None = None
        """The result of a background job."""
        self.worked_s = 0.0
        """Seconds that requests of this process have compared."""

    @property
    def before(self) -> Estate:
        return self._change.before.estate

    @property
    def after(self) -> Estate:
        return self._change.after.estate

    @property
    def is_settled(self) -> bool:
        return self._kept is not None or (self._count is not None and self._count.is_settled)

    @property
    def ends(self) -> Ends:
        if self._kept is not None:
            return self._kept
        return self._count.ends if self._count else Ends()

    @property
    def done(self) -> int:
        """Targets that are compared already, of `total`."""
        return self._count.done if self._count else 0

    @property
    def total(self) -> int:
        return self._count.total if self._count else 0

    @cached_property
    def rows(self) -> Sequence[EffectRow]:
        """The worst rows of intended classes; those of one verdict by their messages."""
        return self._weighed(self.ends.groups)

    @cached_property
    def rows_apart(self) -> Sequence[EffectRow]:
        """The worst rows of classes that nobody is likely to send."""
        return self._weighed(self.ends.groups_apart)

    @cached_property
    def weights(self) -> Weights | None:
        """The messages of what changes; None where no result of the pipeline is loaded."""
        traffic = latest_traffic()
        if traffic is None:
            return None
        return Weights(traffic, self.vocabulary(), (*self.ends.groups, *self.ends.groups_apart))

    def vocabulary(self) -> Vocabulary:
        """Return the words of both estates."""
        return _indexed_of(self._change.before).vocabulary_with(self.after)

    def _weighed(self, groups: Sequence[DiffGroup]) -> list[EffectRow]:
        rows, weights = list(rows_of(groups)), self.weights
        if weights is None:
            return rows
        return sorted(rows, key=lambda row: (WORST_FIRST[row.verdict], -weights.of_row(row)))

    def answers_of(self, row: EffectRow) -> tuple[str | None, str | None]:
        """Return how many answers come back to the first conversation of a row, before and after."""
        conversation = conversation_of(row)
        before, after = (explained(estate, conversation, self._at) for estate in (self.before, self.after))
        return answers_back(before), answers_back(after)

    def differential(self) -> Differential:
        """Compare all classes at once, without keeping the result."""
        return compare(_indexed_of(self._change.before), self.after, self._at)

    def work(self, seconds: float) -> Effect:
        """Go on comparing for about `seconds`, unless a background job has the result already; while another thread
        compares, wait for it as long."""
        if self.is_settled or not self._guard.acquire(timeout=seconds):
            return self
        try:
            self._compare(min(seconds, ALONE_S))
            if not self.is_settled:
                self._kept = kept_ends(self._change.before, self._change.after, self._at)
                self._compare(seconds - ALONE_S)
        finally:
            self._guard.release()
        return self

    def _compare(self, seconds: float) -> None:
        if self.is_settled or seconds <= 0:
            return
        begun, count = time.monotonic(), self._begun()
        while not count.is_settled and time.monotonic() < begun + seconds:
            count.step()
        self.worked_s += time.monotonic() - begun

    def settle(self, on_progress: Callable[[int, int], None]) -> Effect:
        """Compare all of it; an exception from `on_progress` ends it."""
        with self._guard:
            count = self._begun()
            while not count.is_settled:
                count.step()
                on_progress(count.done, count.total)
        return self

    def _begun(self) -> EndsCount:
        if self._count is None:
            self._count = EndsCount(_indexed_of(self._change.before), self.after, self._at)
        return self._count


def change_of(draft: SavedDraft, further: Sequence[Edit] = ()) -> Change:
    """Return what a draft changes, or what further edits would change of it. Raises `Invalid` with `edits[INDEX]`."""
    made = draft_estate(draft)
    return change_of_edits(made, further) if further else Change(draft_base(draft), made)


def change_of_edits(before: LiveEstate, edits: Sequence[Edit]) -> Change:
    """Return what edits would change of an estate. Raises `Invalid` with `edits[INDEX]`."""
    if not edits:
        return Change(before, before)
    after = apply_edit_list(before.estate, edits)
    return Change(before, LiveEstate(before.version, digest_of(before.digest, None, pack_edits(edits)), after))


def effect_of(change: Change, at: datetime) -> Effect:
    """Return the effect of a change; the same one for all who ask for it within a minute."""
    at = at.replace(second=0, microsecond=0)
    key = change.before.digest, change.after.digest, at
    return _effects.get_or_make(key, partial(Effect, change, at))


def effect_of_draft(draft: SavedDraft, change: Change, at: datetime, seconds: float) -> tuple[Effect, Job | None]:
    """Compare for about `seconds`. Where that takes longer than `QUICK_S` in all, a background job does it, and the
    request waits no more; its job is returned until the result is there, also one that failed or was cancelled."""
    effect = effect_of(change, at)
    effect.work(seconds if effect.worked_s < QUICK_S else 0)
    if effect.is_settled or effect.worked_s < QUICK_S:
        return effect, None
    job = request_comparison(draft.pk, change.before, change.after, at)
    if not job.is_late(LATE):
        return effect, job
    effect = effect.work(seconds)  # no worker runs
    return effect, None if effect.is_settled else job


def progress_of(effect: Effect, job: Job | None) -> tuple[int, int]:
    """Return the targets that are compared, and all of them: by the job where it is ahead of requests."""
    if job is not None and job.total and job.done > effect.done:
        return job.done, job.total
    return effect.done, effect.total


def differential_of(change: Change, at: datetime) -> tuple[Differential, datetime]:
    """Return the comparison of all classes, and the moment that it holds for: `at`, or up to ten minutes before.

    Where it takes long, a request gets `NotReadyError` until it is made beside requests.
    """
    key = change.before.digest, change.after.digest
    known = _differentials.get(key)
    if known is not None and known[1] <= at < known[1] + DIFFERENTIAL_HOLDS:
        return known
    effect = effect_of(change, at).work(QUICK_S)

    def made() -> tuple[Differential, datetime]:
        return _differentials.put(key, (effect.differential(), at))

    if not effect.is_settled:
        defer(("differential", *key), made)
    return made()


def _indexed_of(estate: LiveEstate) -> IndexedEstate:
    return _indexed.get_or_make(estate.digest, lambda: IndexedEstate(estate.estate))


def forget() -> None:
    """Forget all effects and comparisons."""
    for cache in (_differentials, _effects, _indexed):
        cache.clear()

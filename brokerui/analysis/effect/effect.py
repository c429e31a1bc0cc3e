"""The effect of a change on all conversations: what requests show of its comparison, weighed by the newest traffic.

The effect of a draft is the comparison of the version that it was made on with the estate that it makes; that of
further edits, not yet saved, the comparison of the draft with and without them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from functools import cached_property, partial

from brokerui.analysis.effect.background import request_comparison, since_of
from brokerui.analysis.effect.change import Change
from brokerui.analysis.effect.comparison import EffectComparison, forget_indexes, indexed
from brokerui.analysis.effect.conversations import answers_back, conversation_of, explained
from brokerui.analysis.effect.ends import Ends
from brokerui.analysis.effect.held import HeldChange, held_changes
from brokerui.analysis.effect.rows import EffectRow, rows_of
from brokerui.analysis.effect.weights import Weights, latest_traffic
from brokerui.core.cache import LruCache
from brokerui.core.jobs.models import Job
from routing.classes.traffic_class import Vocabulary
from routing.diff.result import WORST_FIRST, DiffGroup
from routing.model.estate import Estate

LATE = timedelta(seconds=20)
"""A running worker takes up a requested job within this time; after it, requests go on comparing themselves."""
KEPT = 64
"""Comparisons, and effects, that a process keeps."""
QUICK_S = 1.0
"""Seconds that requests compare in all; a comparison that takes longer is the work of a background job."""
_comparisons: LruCache[EffectComparison] = LruCache(KEPT)
_effects: LruCache[Effect] = LruCache(KEPT)


class Effect:
    """The effect of a change at a moment: all of it once it is settled."""

    def __init__(self, change: Change, at: datetime, comparison: EffectComparison | None = None) -> None:
        self._change, self._at = change, at
        self._comparison = comparison or EffectComparison(change, at)

    @property
    def before(self) -> Estate:
        return self._change.before.estate

    @property
    def after(self) -> Estate:
        return self._change.after.estate

    @property
    def is_settled(self) -> bool:
        return self._comparison.is_settled

    @property
    def is_quick(self) -> bool:
        """Whether requests have compared all of it in little time."""
        return self._comparison.is_counted and self._comparison.worked_s < 2 * QUICK_S

    @property
    def worked_s(self) -> float:
        return self._comparison.worked_s

    @property
    def ends(self) -> Ends:
        return self._comparison.ends

    @property
    def done(self) -> int:
        """Targets that are compared already, of `total`."""
        return self._comparison.done

    @property
    def total(self) -> int:
        return self._comparison.total

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

    @cached_property
    def held(self) -> tuple[HeldChange, ...]:
        """Messages that wait from the change on, or that it releases, although the outcomes stay."""
        return held_changes(self.before, self.after, self._at)

    @property
    def held_count(self) -> int:
        return sum(one.is_held for one in self.held)

    def vocabulary(self) -> Vocabulary:
        """Return the words of both estates."""
        return indexed(self._change.before).vocabulary_with(self.after)

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

    def work(self, seconds: float) -> Effect:
        """Go on comparing for about `seconds`."""
        self._comparison.work(seconds)
        return self

    def settle(self, on_progress: Callable[[int, int], None]) -> Effect:
        """Compare all of it; an exception from `on_progress` ends it."""
        self._comparison.settle(on_progress)
        return self


def effect_of(change: Change, at: datetime) -> Effect:
    """Return the effect of a change. Its comparison is the same one until a route expires; each minute it is weighed
    by the traffic that is the newest then."""
    key = *change.digests, since_of(change, at)
    comparison = _comparisons.get_or_make(key, partial(EffectComparison, change, at))
    minute = at.replace(second=0, microsecond=0)
    return _effects.get_or_make((*key, minute), partial(Effect, change, at, comparison))


def effect_shown(change: Change, at: datetime, seconds: float) -> tuple[Effect, Job | None]:
    """Compare for about `seconds`. Where that takes longer than `QUICK_S` in all, a background job does it, and the
    request waits no more; its job is returned until the result is there, also one that failed or was cancelled."""
    effect = effect_of(change, at)
    effect.work(seconds if effect.worked_s < QUICK_S else 0)
    if effect.is_settled or effect.worked_s < QUICK_S:
        return effect, None
    job = request_comparison(change, at)
    if not job.is_late(LATE):
        return effect, job
    effect = effect.work(seconds)  # no worker runs
    return effect, None if effect.is_settled else job


def progress_of(effect: Effect, job: Job | None) -> tuple[int, int]:
    """Return the targets that are compared, and all of them: by the job where it is ahead of requests."""
    if job is not None and job.total and job.done > effect.done:
        return job.done, job.total
    return effect.done, effect.total


def forget() -> None:
    """Forget all effects and comparisons."""
    for cache in (_comparisons, _effects):
        cache.clear()
    forget_indexes()

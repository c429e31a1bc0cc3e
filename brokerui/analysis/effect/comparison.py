"""The comparison of both estates of a change, a piece at a time: by requests while that is quick, else by a worker."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from datetime import datetime

from brokerui.analysis.effect.background import kept_ends
from brokerui.analysis.effect.change import Change
from brokerui.analysis.effect.ends import Ends, EndsCount
from brokerui.core.cache import LruCache
from brokerui.estate.selectors import LiveEstate
from routing.classes.indexed_estate import IndexedEstate

INDEXED = 4
"""Estates with an index that a process keeps."""
ALONE_S = 0.15
"""Seconds that a request compares before it looks for the result of a background job."""
_indexed: LruCache[IndexedEstate] = LruCache(INDEXED)


class EffectComparison:
    """A comparison at a moment. Until the next expiry of a route it holds for later moments too; threads share it."""

    def __init__(self, change: Change, at: datetime) -> None:
        self.change, self.at = change, at
        self._guard = threading.Lock()
        self._count: EndsCount | None = None
        self._kept: Ends | None = None
        """The result of a background job."""
        self.worked_s = 0.0
        """Seconds that requests of this process have compared."""

    @property
    def is_settled(self) -> bool:
        return self._kept is not None or self.is_counted

    @property
    def is_counted(self) -> bool:
        """Whether this process has compared all of it."""
        return self._count is not None and self._count.is_settled

    @property
    def ends(self) -> Ends:
        if self._kept is not None:
            return self._kept
        return self._count.ends if self._count else Ends()

    @property
    def done(self) -> int:
        """Targets that this process has compared, of `total`."""
        return self._count.done if self._count else 0

    @property
    def total(self) -> int:
        return self._count.total if self._count else 0

    def work(self, seconds: float) -> None:
        """Go on comparing for about `seconds`, unless a background job has the result already; while another thread
        compares, wait for it as long."""
        if self.is_settled or not self._guard.acquire(timeout=seconds):
            return
        try:
            self._compare(min(seconds, ALONE_S))
            if not self.is_settled:
                self._kept = kept_ends(self.change, self.at)
                self._compare(seconds - ALONE_S)
        finally:
            self._guard.release()

    def _compare(self, seconds: float) -> None:
        if self.is_settled or seconds <= 0:
            return
        begun, count = time.monotonic(), self._begun()
        while not count.is_settled and time.monotonic() < begun + seconds:
            count.step()
        self.worked_s += time.monotonic() - begun

    def settle(self, on_progress: Callable[[int, int], None]) -> None:
        """Compare all of it; an exception from `on_progress` ends it."""
        with self._guard:
            count = self._begun()
            while not count.is_settled:
                count.step()
                on_progress(count.done, count.total)

    def _begun(self) -> EndsCount:
        if self._count is None:
            self._count = EndsCount(indexed(self.change.before), self.change.after.estate, self.at)
        return self._count


def indexed(estate: LiveEstate) -> IndexedEstate:
    """Return an estate with its index, which comparisons from it share."""
    return _indexed.get_or_make(estate.digest, lambda: IndexedEstate(estate.estate))


def forget_indexes() -> None:
    """Forget all indexes."""
    _indexed.clear()

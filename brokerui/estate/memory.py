"""The estates of the versions that were asked for last, in the memory of this process.

They are kept by digest, which stands for the content: what was rolled back or restored can never be mistaken for
something else. Estates of neighbouring versions share most of their parts.
"""

from __future__ import annotations

import threading
from collections import OrderedDict

from routing.model.estate import Estate

KEPT = 8


class Memory:
    """At most so many estates; the one that was asked for longest ago goes first."""

    def __init__(self, kept: int = KEPT) -> None:
        self._kept = kept
        self._estates: OrderedDict[str, Estate] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, digest: str) -> Estate | None:
        with self._lock:
            estate = self._estates.get(digest)
            if estate is not None:
                self._estates.move_to_end(digest)
            return estate

    def put(self, digest: str, estate: Estate) -> None:
        with self._lock:
            self._estates[digest] = estate
            self._estates.move_to_end(digest)
            while len(self._estates) > self._kept:
                self._estates.popitem(last=False)

    def clear(self) -> None:
        with self._lock:
            self._estates.clear()


estates = Memory()
"""Of this process."""

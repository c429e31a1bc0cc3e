"""Doing a thing once although several threads want it at the same time."""

from __future__ import annotations

import threading
from collections import Counter, defaultdict
from collections.abc import Hashable, Iterator
from contextlib import contextmanager


class Once:
    """One thread at a time for each key. Who had to wait looks whether it is done, and finds that it is."""

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._locks: defaultdict[Hashable, threading.Lock] = defaultdict(threading.Lock)
        self._wanted: Counter[Hashable] = Counter()

    @contextmanager
    def alone(self, key: Hashable) -> Iterator[None]:
        """For as long as this lasts nobody else does what the key stands for."""
        with self._guard:
            self._wanted[key] += 1
            lock = self._locks[key]
        try:
            with lock:
                yield
        finally:
            with self._guard:
                self._wanted[key] -= 1
                if not self._wanted[key]:
                    del self._wanted[key], self._locks[key]

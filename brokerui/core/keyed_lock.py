"""One lock for each key, made when it is first held and dropped when nobody holds it or waits for it."""

from __future__ import annotations

import threading
from collections import Counter, defaultdict
from collections.abc import Hashable, Iterator
from contextlib import contextmanager


class KeyedLock:
    """Lets one thread at a time work on each key. A thread that waited has to look whether the work is done."""

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._locks: defaultdict[Hashable, threading.Lock] = defaultdict(threading.Lock)
        self._users: Counter[Hashable] = Counter()
        """Threads that hold the lock of a key or wait for it."""

    @contextmanager
    def hold(self, key: Hashable) -> Iterator[None]:
        """Hold the lock of the key for the length of a `with` block. Cannot be taken twice by one thread."""
        with self._guard:
            self._users[key] += 1
            lock = self._locks[key]
        try:
            with lock:
                yield
        finally:
            with self._guard:
                self._users[key] -= 1
                if not self._users[key]:
                    del self._users[key], self._locks[key]

"""An LRU cache in the memory of one process, which makes each value once although several threads want it."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

from brokerui.core.keyed_lock import KeyedLock

T = TypeVar("T")


class LruCache(Generic[T]):
    """Holds at most `size` values; drops the one that was asked for longest ago. Threads may share it."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._values: OrderedDict[Hashable, T] = OrderedDict()
        self._guard = threading.Lock()
        self._being_made = KeyedLock()

    def get(self, key: Hashable) -> T | None:
        """Return the value of the key, or None; it becomes the newest."""
        with self._guard:
            if key in self._values:
                self._values.move_to_end(key)
            return self._values.get(key)

    def get_or_make(self, key: Hashable, make: Callable[[], T]) -> T:
        """Return the value of the key; call `make` for it where there is none, in one thread at a time."""
        found = self._found(key)
        if not found:
            with self._being_made.hold(key):
                found = self._found(key) or (self.put(key, make()),)
        return found[0]

    def put(self, key: Hashable, value: T) -> T:
        """Keep the value as the newest, and return it."""
        with self._guard:
            self._values[key] = value
            self._values.move_to_end(key)
            while len(self._values) > self._size:
                self._values.popitem(last=False)
        return value

    def has(self, key: Hashable) -> bool:
        """Return whether the key has a value. Does not make it the newest."""
        with self._guard:
            return key in self._values

    def newest(self) -> T | None:
        """Return the value that was asked for last; None where there is none."""
        with self._guard:
            return next(reversed(self._values.values()), None)

    def clear(self) -> None:
        """Forget all values."""
        with self._guard:
            self._values.clear()

    def _found(self, key: Hashable) -> tuple[T, ...]:
        """The value in a tuple, which is empty where there is none: a value may be None."""
        with self._guard:
            if key not in self._values:
                return ()
            self._values.move_to_end(key)
            return (self._values[key],)

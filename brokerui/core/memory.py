"""What was made last, in the memory of this process."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

from brokerui.core.once import Once

T = TypeVar("T")


class Memory(Generic[T]):
    """At most so many things; the one that was asked for longest ago goes first. Each is made by one thread only."""

    def __init__(self, kept: int) -> None:
        self._kept = kept
        self._things: OrderedDict[Hashable, T] = OrderedDict()
        self._lock = threading.Lock()
        self._once = Once()

    def get(self, key: Hashable, make: Callable[[], T]) -> T:
        """What is kept under the key; made where nothing is."""
        known = self._found(key)
        if known:
            return known[0]
        with self._once.alone(key):
            known = self._found(key)
            return known[0] if known else self._put(key, make())

    def has(self, key: Hashable) -> bool:
        """Whether it need not be made."""
        with self._lock:
            return key in self._things

    def newest(self) -> T | None:
        """What was asked for last."""
        with self._lock:
            return next(reversed(self._things.values()), None)

    def clear(self) -> None:
        with self._lock:
            self._things.clear()

    def _found(self, key: Hashable) -> tuple[T, ...]:
        """The thing, or nothing."""
        with self._lock:
            if key not in self._things:
                return ()
            self._things.move_to_end(key)
            return (self._things[key],)

    def _put(self, key: Hashable, made: T) -> T:
        with self._lock:
            self._things[key] = made
            while len(self._things) > self._kept:
                self._things.popitem(last=False)
        return made

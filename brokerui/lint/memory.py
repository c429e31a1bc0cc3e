"""What was found last, in the memory of this process."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

T = TypeVar("T")


class Memory(Generic[T]):
    """At most so many things; the one that was asked for longest ago goes first."""

    def __init__(self, kept: int) -> None:
        self._kept = kept
        self._things: OrderedDict[Hashable, T] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: Hashable, make: Callable[[], T]) -> T:
        """What is kept under the key; made where nothing is."""
        with self._lock:
            if key in self._things:
                self._things.move_to_end(key)
                return self._things[key]
        made = make()
        with self._lock:
            self._things[key] = made
            while len(self._things) > self._kept:
                self._things.popitem(last=False)
        return made

    def clear(self) -> None:
        with self._lock:
            self._things.clear()

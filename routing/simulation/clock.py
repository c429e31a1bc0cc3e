"""Time in a world: the event scheduler and the clocks of the brokers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from heapq import heappop, heappush
from typing import Any, Final

START: Final = 1_900_000_000_000
"""Start time of every world, in milliseconds since 1970 UTC."""
MILLION: Final = 1_000_000


@dataclass(frozen=True, slots=True)
class Clock:
    """A broker's clock, with offset and drift."""

    offset: int = 0
    """Milliseconds."""
    drift: int = 0
    """Parts per million."""

    def says(self, moment: int) -> int:
        """Return the clock's reading at a world time."""
        return moment + self.offset + (moment - START) * self.drift // MILLION

    def shows(self, reading: int) -> int:
        """Return the first world time at which the clock shows `reading` or more."""
        elapsed = reading - self.offset - START
        moment = START + elapsed * MILLION // (MILLION + self.drift)  # rounded down: not later than the result
        while self.says(moment) < reading:
            moment += 1
        return moment


class Scheduler:
    """Event queue ordered by time, then by insertion."""

    __slots__ = ("_heap", "_number", "now")

    def __init__(self) -> None:
        self.now = START
        self._heap: list[tuple[int, int, Callable[..., None], tuple[Any, ...]]] = []
        self._number = 0

    def at(self, moment: int, act: Callable[..., None], *arguments: Any) -> None:
        """Schedule a call at a world time; times in the past mean now."""
        self._number += 1
        heappush(self._heap, (max(moment, self.now), self._number, act, arguments))

    def after(self, milliseconds: int, act: Callable[..., None], *arguments: Any) -> None:
        self.at(self.now + milliseconds, act, *arguments)

    def step(self, until: int) -> bool:
        """Run the next call. False: none is left until `until`, and the time is `until` now."""
        if not self._heap or self._heap[0][0] > until:
            self.now = max(self.now, until)
            return False
        self.now, _, act, arguments = heappop(self._heap)
        act(*arguments)
        return True

"""Time in a world: what is to happen when, and what the clock of each broker says then."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from heapq import heappop, heappush
from typing import Any, Final

START: Final = 1_900_000_000_000
"""The moment at which every world begins, in milliseconds UTC."""
MILLION: Final = 1_000_000


@dataclass(frozen=True, slots=True)
class Clock:
    """A broker's: off by some time, and too fast or too slow."""

    offset: int = 0
    """Milliseconds."""
    drift: int = 0
    """Millionths."""

    def says(self, moment: int) -> int:
        """What it shows at a moment of the world."""
        return moment + self.offset + (moment - START) * self.drift // MILLION

    def shows(self, reading: int) -> int:
        """The first moment of the world at which it shows this, or more."""
        elapsed = reading - self.offset - START
        moment = START + elapsed * MILLION // (MILLION + self.drift)  # rounded down: no earlier one shows it
        while self.says(moment) < reading:
            moment += 1
        return moment


class Scheduler:
    """What is to be done, in the order of its moments; at one moment, in the order in which it was put down."""

    __slots__ = ("_heap", "_number", "now")

    def __init__(self) -> None:
        self.now = START
        self._heap: list[tuple[int, int, Callable[..., None], tuple[Any, ...]]] = []
        self._number = 0

    def at(self, moment: int, act: Callable[..., None], *arguments: Any) -> None:
        """Never in the past."""
        self._number += 1
        heappush(self._heap, (max(moment, self.now), self._number, act, arguments))

    def after(self, milliseconds: int, act: Callable[..., None], *arguments: Any) -> None:
        self.at(self.now + milliseconds, act, *arguments)

    def step(self, until: int) -> bool:
        """Do the next thing; False when nothing is left up to a moment, which then has come."""
        if not self._heap or self._heap[0][0] > until:
            self.now = max(self.now, until)
            return False
        self.now, _, act, arguments = heappop(self._heap)
        act(*arguments)
        return True

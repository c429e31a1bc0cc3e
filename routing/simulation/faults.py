"""What goes wrong in a world: how much of it, and which parts are left out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class FaultLevel:
    """How much goes wrong. Shares are in thousandths; of links, the most that one is drawn."""

    loss: int = 0
    doubling: int = 0
    damage: int = 0
    detour: int = 0
    """Frames that come much later than others: seconds, seldom minutes."""
    partitions: int = 0
    """So many at most."""
    crashes: int = 0
    """So many at most, of each broker."""
    switches: int = 0
    """Times at most that a queue goes off."""
    failovers: int = 0
    """Of a mirrored pair, at most."""
    clocks: int = 0
    """Milliseconds that a clock is off, at most."""
    drift: int = 0
    """Millionths."""
    slow: int = 0
    """Transactions of applications that stay open for a while."""
    rollbacks: int = 0
    """Receives that are rolled back."""
    poisons: int = 0
    """Queues at most whose application can work on nothing."""
    outages: int = 0
    """Times at most that the broker of a database is disabled."""
    renewals: int = 0
    """Databases at most that get a new broker."""


LEVELS: Final[Mapping[str, FaultLevel]] = {
    "none": FaultLevel(),
    "light": FaultLevel(30, 10, 5, 20, 1, 1, 1, 1, 2_000, 100, 20, 20, 1, 1, 1),
    "heavy": FaultLevel(250, 150, 80, 120, 4, 4, 3, 3, 120_000, 500, 80, 100, 2, 2, 1),
}


@dataclass(frozen=True, slots=True)
class Mask:
    """What a run leaves out of its world, so that less is to be read."""

    parts: frozenset[str] = frozenset()
    """By name: `loss`, `crash 2 of b`, `conversation 3`, …"""
    calm_after: int | None = None
    """Milliseconds from the beginning after which nothing goes wrong any more; None: as the world has it."""

    def takes(self, part: str) -> bool:
        """Whether a part stays in the world."""
        return part not in self.parts

    def without(self, *parts: str) -> Mask:
        return Mask(self.parts.union(parts), self.calm_after)

    def calm(self, after: int) -> Mask:
        return Mask(self.parts, after)


WHOLE: Final = Mask()

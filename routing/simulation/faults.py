"""Fault levels of a world, and masks that leave out some of its parts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True, kw_only=True)
class FaultLevel:
    """Upper limits for the faults of a world. Probabilities are in permille; a link draws its own up to the limit."""

    loss: int = 0
    doubling: int = 0
    damage: int = 0
    detour: int = 0
    """Frames delayed by seconds, rarely by minutes."""
    partitions: int = 0
    """Maximum number."""
    crashes: int = 0
    """Maximum number per broker."""
    switches: int = 0
    """Maximum number of queue outages."""
    failovers: int = 0
    """Maximum number of failovers of mirrored pairs."""
    clocks: int = 0
    """Maximum offset of a clock in milliseconds."""
    drift: int = 0
    """Maximum clock drift in parts per million."""
    slow: int = 0
    """Probability that an application keeps its transaction open for a while."""
    rollbacks: int = 0
    """Probability that a transaction with a RECEIVE is rolled back."""
    poisons: int = 0
    """Maximum number of queues with poison messages."""
    outages: int = 0
    """Maximum number of times that a database's broker is disabled."""
    renewals: int = 0
    """Maximum number of NEW_BROKER operations."""
    errings: int = 0
    """Number of ERROR_BROKER_CONVERSATIONS operations in the worlds that have them."""
    retentions: int = 0
    """Maximum number of times that RETENTION of a queue is switched."""


LEVELS: Final[Mapping[str, FaultLevel]] = {
    "none": FaultLevel(),
    "light": FaultLevel(
        loss=30,
        doubling=10,
        damage=5,
        detour=20,
        partitions=1,
        crashes=1,
        switches=1,
        failovers=1,
        clocks=2_000,
        drift=100,
        slow=20,
        rollbacks=20,
        poisons=1,
        outages=1,
        renewals=1,
        errings=1,
        retentions=2,
    ),
    "heavy": FaultLevel(
        loss=250,
        doubling=150,
        damage=80,
        detour=120,
        partitions=4,
        crashes=4,
        switches=3,
        failovers=3,
        clocks=120_000,
        drift=500,
        slow=80,
        rollbacks=100,
        poisons=2,
        outages=2,
        renewals=1,
        errings=1,
        retentions=4,
    ),
}


@dataclass(frozen=True, slots=True)
class Mask:
    """Parts that a run leaves out of its world, to make a violation easier to read."""

    parts: frozenset[str] = frozenset()
    """By name: `loss`, `crash 2 of b`, `conversation 3`, …"""
    calm_after: int | None = None
    """Milliseconds after the start from which no fault happens; None: as drawn."""

    def takes(self, part: str) -> bool:
        """Return True if the part stays in the world."""
        return part not in self.parts

    def without(self, *parts: str) -> Mask:
        return Mask(self.parts.union(parts), self.calm_after)

    def calm(self, after: int) -> Mask:
        return Mask(self.parts, after)


WHOLE: Final = Mask()

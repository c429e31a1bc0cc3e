"""Shrink a violation: leave out everything of its world that it does not need."""

from __future__ import annotations

from typing import NamedTuple

from routing.simulation.checkers import CHECKERS
from routing.simulation.checking import Orphan, Violation, check
from routing.simulation.clock import START
from routing.simulation.faults import WHOLE, Mask
from routing.simulation.history import WorldHistory
from routing.simulation.world import World, draw_world, maskable_parts
from routing.simulation.world_run import run_world

MAX_RUNS = 300
"""Maximum worlds to try."""


class SimulationResult(NamedTuple):
    """The history of a world and the checkers' findings."""

    history: WorldHistory
    violations: list[Violation]
    orphans: list[Orphan]

    @property
    def world(self) -> World:
        return self.history.world


def simulate(seed: int, faults: str = "heavy", mask: Mask = WHOLE) -> SimulationResult:
    """Run the world of a seed and check its history."""
    history = run_world(draw_world(seed, faults, mask))
    seen = check(history, CHECKERS)
    return SimulationResult(history, seen.violations, seen.orphans)


def shrink(found: SimulationResult, runs: int = MAX_RUNS) -> SimulationResult:
    """Return the smallest world found with the same seed that breaks the same promise."""
    return _Shrinker(found, runs).smallest()


class _Shrinker:
    def __init__(self, found: SimulationResult, runs: int) -> None:
        self._best = found
        self._promise = found.violations[0].promise
        self._runs = runs

    def smallest(self) -> SimulationResult:
        self._leave_out(maskable_parts(self._best.world))
        self._leave_out(_messages(self._best.world))
        self._calm_early()
        return self._best

    def _try(self, mask: Mask) -> bool:
        """Return True if the world still breaks the promise; it is the best one so far then."""
        if self._runs == 0:
            return False
        self._runs -= 1
        world = self._best.world
        found = simulate(world.seed, world.faults, mask)
        same = [violation for violation in found.violations if violation.promise == self._promise]
        if not same:
            return False
        self._best = SimulationResult(found.history, same, found.orphans)
        return True

    def _leave_out(self, names: tuple[str, ...]) -> None:
        """Leave out parts in halves, then quarters, down to single ones."""
        size = len(names)
        while size:
            kept: list[str] = []
            for at in range(0, len(names), size):
                some = names[at : at + size]
                if not self._try(self._best.world.mask.without(*some)):
                    kept += some
            names = tuple(kept)
            size = 0 if size == 1 else -(-size // 2)

    def _calm_early(self) -> None:
        """Find, to a second, the earliest time after which no faults are needed."""
        low, high = 0, max(self._best.violations[0].at - START, 0)
        while high - low > 1000:
            middle = (low + high) // 2
            if self._try(self._best.world.mask.calm(middle)):
                high = middle
            else:
                low = middle


def _messages(world: World) -> tuple[str, ...]:
    return tuple(f"message {step} of {plan.number}" for plan in world.conversations for step in range(len(plan.steps)))

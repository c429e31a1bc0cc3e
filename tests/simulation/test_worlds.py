"""Worlds: a fixed set of seeds, and fresh ones each time. What is wrong in one is told with its seed."""

from __future__ import annotations

import secrets

import pytest

from routing.simulation.shrinking import shrink, simulate
from routing.simulation.story import story

TOGETHER = 20
"""Worlds in one test."""
TRIES = 40
"""Worlds that are tried to make a violation smaller: the seed is what counts, `brokerui simulate` has more patience."""


def check(seed: int, faults: str) -> None:
    found = simulate(seed, faults)
    if found.violations:
        small = shrink(found, TRIES)
        violation = small.violations[0]
        told = "\n".join(story(small.history, violation))
        pytest.fail(f"brokerui simulate --seed {seed} --faults {faults}\n{violation.promise}: {violation.what}\n{told}")


@pytest.mark.parametrize("seed", [2430, 100472, 200272, 300000, 620246, 701311, 701526, 1001995, 2004167, 3001488])
def test_promises_are_kept_where_they_were_broken_once(seed: int) -> None:
    check(seed, "heavy")


@pytest.mark.parametrize("first", range(0, 60, TOGETHER))
@pytest.mark.parametrize("faults", ["none", "light", "heavy"])
def test_promises_are_kept_in_known_worlds(faults: str, first: int) -> None:
    for seed in range(first, first + TOGETHER):
        check(seed, faults)


@pytest.mark.parametrize(("faults", "worlds"), [("none", 20), ("light", 20), ("heavy", 60)])
def test_promises_are_kept_in_fresh_worlds(faults: str, worlds: int) -> None:
    """Who looks for faults lets `make sim` look at thousands."""
    first = secrets.randbelow(10**9)
    for seed in range(first, first + worlds):
        check(seed, faults)

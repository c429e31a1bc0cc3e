"""Worlds: a fixed set of seeds, and fresh ones each time. A failure is reported with its seed."""

from __future__ import annotations

import secrets

import pytest

from routing.simulation.faults import WHOLE, Mask
from routing.simulation.shrinking import shrink, simulate
from routing.simulation.violation_trace import trace_lines
from routing.simulation.world import World, draw_world, maskable_parts
from tests.extent import IS_ALL

TOGETHER = 10
"""Worlds in one test."""
SHARE = 1 if IS_ALL else 0.5
"""Of the fresh worlds."""
TRIES = 40
"""Worlds that are tried to make a violation smaller: the seed is what counts, `brokerui simulate` has more patience."""


LATER = ("erring 0", *(f"retention {number}" for number in range(4)))
UPHEAVALS = ("poison 0", "poison 1", "outage 0", "outage 1", "renewal 0", *LATER)
"""What worlds have had since: a seed is kept for what it has shown, in the world in which it did."""


def check(seed: int, faults: str, mask: Mask = WHOLE) -> None:
    found = simulate(seed, faults, mask)
    if found.violations:
        small = shrink(found, TRIES)
        violation = small.violations[0]
        lines = "\n".join(trace_lines(small.history, violation))
        pytest.fail(
            f"brokerui simulate --seed {seed} --faults {faults}\n{violation.promise}: {violation.what}\n{lines}"
        )


@pytest.mark.parametrize("seed", [2430, 100472, 200272, 300000, 620246, 701311, 701526, 1001995, 2004167, 3001488])
def test_promises_are_kept_where_they_were_broken_once(seed: int) -> None:
    check(seed, "heavy", WHOLE.without(*UPHEAVALS))


@pytest.mark.parametrize("seed", [8005654, 8009079, 8009929, 9101471, 9202700, 84200793, 714300634, 836598614])
def test_promises_are_kept_where_upheavals_broke_them(seed: int) -> None:
    check(seed, "heavy", WHOLE.without(*LATER))


@pytest.mark.parametrize(
    ("seed", "faults"),
    [
        (143, "none"),  # messages for a service of the same instance, in a world with keys
        (166, "light"),  # a new broker while an outage lasts
        (990000314, "heavy"),  # conversations by a mirrored route end with an error while no partner is the principal
        (990004434, "heavy"),  # progress after a crash that took the place up to which a long message was sent
        (7710206, "heavy"),  # ERROR_BROKER_CONVERSATIONS while a message waits for a queue that is off, acknowledged
        (990001559, "heavy"),  # two timer messages of a conversation in a queue with RETENTION
        (2007306, "heavy"),  # a target ends WITH CLEANUP, begins anew with early messages, and has little room
    ],
)
def test_promises_are_kept_in_worlds_that_are_seldom(seed: int, faults: str) -> None:
    check(seed, faults)


@pytest.mark.parametrize("first", range(0, 60 if IS_ALL else TOGETHER, TOGETHER))
@pytest.mark.parametrize("faults", ["none", "light", "heavy"])
def test_promises_are_kept_in_known_worlds(faults: str, first: int) -> None:
    for seed in range(first, first + TOGETHER):
        check(seed, faults)


@pytest.mark.parametrize(("faults", "worlds"), [("none", 10), ("light", 10), ("heavy", 30)])
def test_promises_are_kept_in_fresh_worlds(faults: str, worlds: int) -> None:
    """A few fresh worlds; `make sim` runs thousands."""
    first = secrets.randbelow(10**9)
    for seed in range(first, first + int(worlds * SHARE)):
        check(seed, faults)


@pytest.mark.parametrize("faults", ["light", "heavy"])
def test_known_worlds_have_upheavals_of_every_kind(faults: str) -> None:
    """And each name is one that a mask knows, so that a world without them is the one of old."""
    worlds = [draw_world(seed, faults) for seed in range(60)]
    for _, *since in map(_upheavals, worlds):
        assert {name for kind in since for name in kind} <= set(UPHEAVALS)
    for kind in zip(*map(_upheavals, worlds), strict=True):
        assert sum(map(len, kind)) > 3
    for world in worlds:
        assert {name for kind in _upheavals(world) for name in kind} <= set(maskable_parts(world))


def _upheavals(world: World) -> list[list[str]]:
    """The names of switches, and of each kind that came later."""
    whole = world.upheavals
    kinds = (whole.switches, whole.poisons, whole.outages, whole.renewals, whole.errings, whole.retentions)
    return [[one.name for one in kind] for kind in kinds]

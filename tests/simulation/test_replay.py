"""A seed is a world for ever: the same history to the last byte, in any process."""

from __future__ import annotations

import os
import subprocess
import sys
from hashlib import sha256
from pathlib import Path

import pytest

from routing.simulation.fault_schedule import FaultSchedule
from routing.simulation.faults import WHOLE
from routing.simulation.world import draw_world, maskable_parts
from routing.simulation.world_run import run_world

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = """
import sys
from hashlib import sha256
from routing.simulation.world_run import run_world
from routing.simulation.world import draw_world
print(*(sha256("\\n".join(run_world(draw_world(seed)).lines()).encode()).hexdigest() for seed in (3, 4)))
"""


def digest(seed: int) -> str:
    return sha256("\n".join(run_world(draw_world(seed)).lines()).encode()).hexdigest()


def test_the_same_seed_is_the_same_history_in_any_process() -> None:
    digests = {
        subprocess.run(
            [sys.executable, "-c", PROGRAM],
            env={**os.environ, "PYTHONHASHSEED": hashes},
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for hashes in ("1", "2")
    }
    assert digests == {f"{digest(3)} {digest(4)}\n"}


def test_other_seeds_are_other_histories() -> None:
    assert digest(3) != digest(4)


def test_a_part_that_is_left_out_changes_nothing_of_the_others() -> None:
    seed = next(seed for seed in range(100) if draw_world(seed).partitions and draw_world(seed).upheavals.switches)
    whole = draw_world(seed)
    less = draw_world(seed, mask=WHOLE.without(whole.partitions[0].name, "clocks", "conversation 0"))
    assert less.partitions == whole.partitions[1:]
    assert less.conversations == whole.conversations[1:]
    assert (less.estate, less.upheavals, less.crashes) == (whole.estate, whole.upheavals, whole.crashes)
    assert {clock.offset for clock in less.clocks.values()} == {0}


def test_after_it_is_calm_nothing_goes_wrong() -> None:
    calm = draw_world(7, mask=WHOLE.calm(1000))
    assert all(one.ends <= calm.heals for one in (*calm.partitions, *calm.upheavals.switches, *calm.upheavals.outages))
    assert all(failover.at < calm.heals for failover in calm.failovers)


@pytest.mark.parametrize("faults", ["none", "light", "heavy"])
@pytest.mark.parametrize("seed", [11, 18, 100])
def test_the_parts_of_a_world_can_all_be_left_out(faults: str, seed: int) -> None:
    world = draw_world(seed, faults)
    empty = draw_world(seed, faults, WHOLE.without(*maskable_parts(world)))
    assert (empty.conversations, empty.partitions, empty.failovers) == ((), (), ())
    assert empty.upheavals == FaultSchedule((), (), (), ())
    assert not any(empty.crashes.values())
    assert {(link.loss, link.doubling, link.damage, link.detour, link.jitter) for link in empty.links.values()} == {
        (0, 0, 0, 0, 0)
    }

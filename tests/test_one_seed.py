"""Each test draws its own random numbers, and the same ones when its run is repeated."""

from __future__ import annotations

import random
import subprocess
import sys
from pathlib import Path

import pytest

from tests.one_seed import seed_of, seed_of_run

CHECKOUT = Path(__file__).resolve().parents[1]


def test_another_test_and_another_run_have_another_seed() -> None:
    assert len({seed_of("a", 1), seed_of("a", 2), seed_of("b", 1)}) == 3


def test_a_name_of_any_characters_has_a_seed() -> None:
    assert seed_of("[\ud800]", 7) == seed_of("[\ud800]", 7)


def test_it_is_in_force(request: pytest.FixtureRequest) -> None:
    seeded = random.Random(seed_of(request.node.nodeid, seed_of_run(request.config)))
    assert random.random() == seeded.random()


def test_it_is_in_force_without_the_plugin_that_shuffles() -> None:
    one = f"{__file__}::{test_it_is_in_force.__name__}"
    command = [sys.executable, "-m", "pytest", "-p", "no:randomly", "-p", "no:cacheprovider", "-q", one]
    ran = subprocess.run(command, cwd=CHECKOUT, capture_output=True, text=True, timeout=100, check=False)
    assert ran.returncode == 0, ran.stdout

"""Each test draws its own random numbers, and the same ones when its run is repeated."""

from __future__ import annotations

import random

import pytest

from tests.one_seed import seed_of


def test_another_test_and_another_run_have_another_seed() -> None:
    assert len({seed_of("a", 1), seed_of("a", 2), seed_of("b", 1)}) == 3


def test_a_name_of_any_characters_has_a_seed() -> None:
    assert seed_of("[\ud800]", 7) == seed_of("[\ud800]", 7)


def test_it_is_in_force(request: pytest.FixtureRequest) -> None:
    seeded = random.Random(seed_of(request.node.nodeid, request.config.option.randomly_seed))
    assert random.random() == seeded.random()

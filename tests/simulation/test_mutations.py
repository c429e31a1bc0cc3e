"""The checkers can fail: each break of the engine is found in a world where the engine as it is keeps its promises."""

from __future__ import annotations

import pytest

from routing.simulation.shrinking import simulate
from tests.simulation.mutants import found, recorded
from tests.simulation.mutations import MUTATIONS, Mutation


def test_there_are_enough_of_them_and_no_two_alike() -> None:
    assert len({mutation.name for mutation in MUTATIONS}) == len(MUTATIONS) >= 20


@pytest.mark.parametrize("mutation", MUTATIONS, ids=lambda mutation: mutation.name)
def test_a_break_is_found(mutation: Mutation) -> None:
    seen = found(mutation, recorded(mutation))
    assert seen is not None
    assert not simulate(seen[0]).violations

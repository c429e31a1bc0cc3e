"""The checkers can fail: each break of the engine is found in a world where the engine as it is keeps its promises."""

from __future__ import annotations

import pytest

from routing.simulation.shrinking import simulate
from tests.simulation.mutants import found, main, recorded
from tests.simulation.mutations import MUTATIONS, Mutation


def test_there_are_enough_of_them_and_no_two_alike() -> None:
    assert len({mutation.name for mutation in MUTATIONS}) == len(MUTATIONS) >= 20


def test_a_word_that_no_mutation_has_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["no such"]) == 2
    assert capsys.readouterr().err == "no mutation is named like no such\n"


FIRST_OF_ITS_PROMISE = {mutation.promise: mutation for mutation in reversed(MUTATIONS)}.values()
OTHERS = pytest.mark.thorough("Each promise is seen broken once, and test_checkers.py tests each checker by itself.")
"""Of mutations that may break any promise, every fifth stands for its neighbours."""


def stands_for_others(number: int, mutation: Mutation) -> bool:
    return mutation in FIRST_OF_ITS_PROMISE or (not mutation.promise and number % 5 == 0)


@pytest.mark.parametrize(
    "mutation",
    [
        pytest.param(mutation, id=mutation.name, marks=() if stands_for_others(number, mutation) else OTHERS)
        for number, mutation in enumerate(MUTATIONS)
    ],
)
def test_a_break_is_found(mutation: Mutation) -> None:
    seen = found(mutation, recorded(mutation))
    assert seen is not None
    assert not simulate(seen[0]).violations

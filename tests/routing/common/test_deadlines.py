"""Deadlines: which are due at a moment."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from routing.common.deadlines import STALE_ENTRIES, Deadlines


@given(st.lists(st.tuples(st.integers(0, 5), st.none() | st.integers(0, 9))))
def test_the_first_is_the_earliest_and_of_equals_the_one_set_first(given_: list[tuple[int, int | None]]) -> None:
    deadlines: Deadlines[int] = Deadlines()
    model: dict[int, int] = {}
    for key, at in given_:
        deadlines.set(key, at)
        model.pop(key, None)
        if at is not None:
            model[key] = at
        assert len(deadlines) == len(model)
        assert deadlines.first() == min(((at, key) for key, at in model.items()), key=lambda e: e[0], default=None)


def test_keys_need_not_compare() -> None:
    deadlines: Deadlines[tuple[str, str | None]] = Deadlines()
    deadlines.set(("a", None), 1)
    deadlines.set(("a", "b"), 1)
    assert deadlines.first() == (1, ("a", None))


def test_what_counts_no_longer_is_forgotten() -> None:
    deadlines: Deadlines[int] = Deadlines()
    deadlines.set(0, 0)
    for number in range(10_000):
        deadlines.set(1, 10_000 - number)
        assert len(deadlines._heap) <= 2 * len(deadlines) + STALE_ENTRIES + 1
    assert deadlines.first() == (0, 0)
    deadlines.set(0, None)
    assert deadlines.first() == (1, 1)
    deadlines.set(1, None)
    assert deadlines.first() is None

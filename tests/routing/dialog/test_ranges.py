"""Ranges against sets of numbers."""

from __future__ import annotations

from functools import reduce

import pytest
from hypothesis import given
from hypothesis import strategies as st

from routing.dialog.ranges import EMPTY_RANGES, NumberRange, RangeSet

LEAST, MOST = 0, 40
PAIRS = st.tuples(st.integers(LEAST, MOST), st.integers(LEAST, MOST)).map(lambda pair: (min(pair), max(pair)))
RANGES = st.lists(PAIRS, max_size=8).map(
    lambda pairs: reduce(lambda made, pair: made.with_range(*pair), pairs, EMPTY_RANGES)
)
A = RangeSet([(2, 4), (8, 8), (10, 12)])


def numbers(ranges: RangeSet) -> set[int]:
    return {number for first, last in ranges.pairs for number in range(first, last + 1)}


def is_canonical(ranges: RangeSet) -> bool:
    """One set, one value: checked by making it again."""
    return RangeSet(ranges.pairs) == ranges


# ---------------------------------------------------------------- cases


def test_nothing_is_in_nothing() -> None:
    assert not EMPTY_RANGES
    assert 0 not in EMPTY_RANGES
    assert EMPTY_RANGES.size() == 0
    assert EMPTY_RANGES.pairs == ()
    assert list(EMPTY_RANGES.gaps(1, 3)) == [(1, 3)]


@pytest.mark.parametrize(
    ("first", "last", "pairs"),
    [
        (0, 0, [(0, 0), (2, 4), (8, 8), (10, 12)]),
        (1, 1, [(1, 4), (8, 8), (10, 12)]),
        (0, 2, [(0, 4), (8, 8), (10, 12)]),
        (2, 4, [(2, 4), (8, 8), (10, 12)]),
        (3, 3, [(2, 4), (8, 8), (10, 12)]),
        (4, 6, [(2, 6), (8, 8), (10, 12)]),
        (5, 5, [(2, 5), (8, 8), (10, 12)]),
        (5, 7, [(2, 8), (10, 12)]),
        (6, 6, [(2, 4), (6, 6), (8, 8), (10, 12)]),
        (7, 7, [(2, 4), (7, 8), (10, 12)]),
        (9, 9, [(2, 4), (8, 12)]),
        (5, 9, [(2, 12)]),
        (0, 20, [(0, 20)]),
        (3, 11, [(2, 12)]),
        (13, 13, [(2, 4), (8, 8), (10, 13)]),
        (14, 15, [(2, 4), (8, 8), (10, 12), (14, 15)]),
    ],
)
def test_adding(first: int, last: int, pairs: list[NumberRange]) -> None:
    assert A.with_range(first, last) == RangeSet(pairs)


@pytest.mark.parametrize(
    ("first", "last", "pairs"),
    [
        (0, 1, [(2, 4), (8, 8), (10, 12)]),
        (2, 2, [(3, 4), (8, 8), (10, 12)]),
        (3, 3, [(2, 2), (4, 4), (8, 8), (10, 12)]),
        (4, 4, [(2, 3), (8, 8), (10, 12)]),
        (5, 7, [(2, 4), (8, 8), (10, 12)]),
        (8, 8, [(2, 4), (10, 12)]),
        (3, 11, [(2, 2), (12, 12)]),
        (0, 20, []),
        (13, 20, [(2, 4), (8, 8), (10, 12)]),
    ],
)
def test_removing(first: int, last: int, pairs: list[NumberRange]) -> None:
    assert A.without_range(first, last) == RangeSet(pairs)


@pytest.mark.parametrize(
    ("first", "last", "gaps"),
    [
        (2, 4, []),
        (3, 4, []),
        (0, 1, [(0, 1)]),
        (0, 3, [(0, 1)]),
        (4, 5, [(5, 5)]),
        (5, 6, [(5, 6)]),
        (0, 14, [(0, 1), (5, 7), (9, 9), (13, 14)]),
        (5, 10, [(5, 7), (9, 9)]),
        (13, 13, [(13, 13)]),
    ],
)
def test_gaps(first: int, last: int, gaps: list[NumberRange]) -> None:
    assert list(A.gaps(first, last)) == gaps


@pytest.mark.parametrize("pairs", [[(2, 1)], [(0, 1), (2, 3)], [(0, 3), (2, 5)], [(5, 6), (1, 2)], [(1, 1), (1, 1)]])
def test_what_is_no_set_of_ranges_cannot_be_made(pairs: list[NumberRange]) -> None:
    with pytest.raises(AssertionError):
        RangeSet(pairs)


def test_a_set_is_a_value() -> None:
    assert RangeSet([(1, 2)]) == EMPTY_RANGES.with_range(1, 1).with_range(2, 2)
    assert hash(RangeSet([(1, 2)])) == hash(EMPTY_RANGES.with_range(1, 2))
    assert RangeSet([(1, 2)]) != RangeSet([(1, 3)])
    assert RangeSet([(1, 2)]) != ((1, 2),)
    assert repr(A) == "Ranges([(2, 4), (8, 8), (10, 12)])"


def test_what_is_in_it_already_makes_no_new_value() -> None:
    assert A.with_range(3, 4) is A
    assert A.without_range(5, 7) is A


def test_in_order_it_stays_one_range() -> None:
    made = EMPTY_RANGES
    for number in range(1000):
        made = made.with_range(number, number)
        assert len(made.pairs) == 1
    assert made.size() == 1000


# ---------------------------------------------------------------- against sets


@given(RANGES, PAIRS)
def test_adding_is_a_union(ranges: RangeSet, pair: NumberRange) -> None:
    made = ranges.with_range(*pair)
    assert is_canonical(made)
    assert numbers(made) == numbers(ranges) | set(range(pair[0], pair[1] + 1))


@given(RANGES, PAIRS)
def test_removing_is_a_difference(ranges: RangeSet, pair: NumberRange) -> None:
    made = ranges.without_range(*pair)
    assert is_canonical(made)
    assert numbers(made) == numbers(ranges) - set(range(pair[0], pair[1] + 1))


@given(RANGES, PAIRS)
def test_looking(ranges: RangeSet, pair: NumberRange) -> None:
    wanted, having = set(range(pair[0], pair[1] + 1)), numbers(ranges)
    assert ranges.covers(*pair) == (wanted <= having)
    assert ranges.meets(*pair) == bool(wanted & having)
    assert (pair[0] in ranges) == (pair[0] in having)
    assert ranges.size() == len(having)
    assert bool(ranges) == bool(having)


@given(RANGES, PAIRS)
def test_gaps_are_what_is_missing(ranges: RangeSet, pair: NumberRange) -> None:
    gaps = list(ranges.gaps(*pair))
    assert numbers(RangeSet(gaps)) == set(range(pair[0], pair[1] + 1)) - numbers(ranges)


@given(st.lists(PAIRS, max_size=10), st.randoms())
def test_the_order_of_adding_does_not_matter(pairs: list[NumberRange], draw: object) -> None:
    shuffled = list(pairs)
    draw.shuffle(shuffled)  # type: ignore[attr-defined] - hypothesis gives a random source
    one = reduce(lambda made, pair: made.with_range(*pair), pairs, EMPTY_RANGES)
    assert one == reduce(lambda made, pair: made.with_range(*pair), shuffled, EMPTY_RANGES)


@given(RANGES)
def test_it_is_not_changed_by_what_is_made_of_it(ranges: RangeSet) -> None:
    before = ranges.pairs
    ranges.with_range(LEAST, MOST)
    ranges.without_range(LEAST, MOST)
    assert ranges.pairs is before

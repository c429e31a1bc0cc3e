"""The order of names, as few moves."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from routing.tsql.ordering import moved, moves


@given(st.permutations("abcdefgh"), st.permutations("abcdefgh"))
def test_the_moves_give_the_order(before: list[str], after: list[str]) -> None:
    assert moved(before, moves(before, after)) == after


def test_only_what_moved_is_named() -> None:
    assert moves("abcdef", "abfcde") == [("f", "c")]
    assert moves("abcdef", "bcdefa") == [("a", None)]
    assert moves("abc", "abc") == []


@pytest.mark.parametrize("wanted", [[("x", None)], [("a", "x")], [("a", "a")]])
def test_unknown_names_cannot_be_moved(wanted: list[tuple[str, str | None]]) -> None:
    with pytest.raises(KeyError):
        moved("abc", wanted)

"""One word for a set of outcomes, and which of two sets is better."""

from __future__ import annotations

from itertools import pairwise

import pytest

from routing.rules.decision import Outcome
from routing.rules.verdict import goodness, verdict

ENDS = {kind: Outcome(kind, "a", "x") for kind in ("delivered", "exits", "delayed", "dropped")}


def ends(words: str) -> set[Outcome]:
    return {ENDS[word] for word in words.split()}


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("delivered", "must_deliver"),
        ("delivered delayed", "may_deliver"),
        ("delivered exits dropped", "may_deliver"),
        ("exits", "exits"),
        ("delayed", "delayed"),
        ("dropped", "dropped"),
        ("delayed dropped", "mixed"),
        ("exits delayed", "mixed"),
    ],
)
def test_a_set_of_outcomes_has_one_word(words: str, expected: str) -> None:
    assert verdict(ends(words)) == expected


def test_several_of_one_kind_are_that_kind() -> None:
    assert verdict({Outcome("delivered", "a", "1"), Outcome("delivered", "a", "2")}) == "must_deliver"
    assert verdict({Outcome("delayed", "a", "no_route"), Outcome("delayed", "b", "no_route")}) == "delayed"


def test_a_set_is_as_good_as_its_worst_then_as_its_best() -> None:
    """Best first; of two sets with the same worst member the one with the better best is better."""
    order = ["delivered", "delivered exits", "exits", "delivered delayed", "exits delayed", "delayed",
             "delivered dropped", "exits dropped", "delayed dropped", "dropped"]  # fmt: skip
    ranks = [goodness(ends(words)) for words in order]
    assert all(better < worse for better, worse in pairwise(ranks))


def test_what_lies_between_worst_and_best_does_not_count() -> None:
    assert goodness(ends("delivered exits dropped")) == goodness(ends("delivered dropped"))

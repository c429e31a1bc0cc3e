"""Outcomes as tests write them: a part that a test does not name matches any."""

from __future__ import annotations

import pytest

from routing.common.errors import Invalid
from routing.rules.decision import DELAYED, DELIVERED, DROPPED, EXITS, Outcome
from routing.testing.outcome_pattern import MAX_PATTERN_CHARS, outcome_text, parse_pattern

PARTS = Outcome(DELIVERED, "host 1/a", "Parts/b")
WAITS = Outcome(DELAYED, "host 1/a", "no_route")
LOST = Outcome(DROPPED, "host2", "hop_limit")
GONE = Outcome(EXITS, "host2", "tcp://far:4022")


@pytest.mark.parametrize(
    ("text", "matching"),
    [
        ("delivered", [PARTS]),
        ("delivered host 1/a", [PARTS]),
        (" delivered  host 1/a/Parts/b ", [PARTS]),
        ("delivered Parts/b", []),
        ("delivered HOST 1/a", []),
        ("delayed", [WAITS]),
        ("delayed no_route", [WAITS]),
        ("delayed host 1/a", [WAITS]),
        ("delayed host 1/a no_route", [WAITS]),
        ("delayed host2 no_route", []),
        ("dropped hop_limit", [LOST]),
        ("exits", [GONE]),
        ("exits TCP://Far/", [GONE]),
        ("exits tcp://far:4023", []),
    ],
)
def test_a_pattern_matches_these_outcomes(text: str, matching: list[Outcome]) -> None:
    pattern = parse_pattern(text)
    assert [outcome for outcome in (PARTS, WAITS, LOST, GONE) if pattern.matches(outcome)] == matching


@pytest.mark.parametrize("outcome", [PARTS, WAITS, LOST, GONE])
def test_the_text_of_an_outcome_is_the_pattern_of_this_one(outcome: Outcome) -> None:
    assert [one for one in (PARTS, WAITS, LOST, GONE) if parse_pattern(outcome_text(outcome)).matches(one)] == [outcome]


@pytest.mark.parametrize(
    "text", ["", "Delivered", "deliver", "lost x", "exits here", "exits LOCAL", "x" * (MAX_PATTERN_CHARS + 1)]
)
def test_anything_else_is_refused(text: str) -> None:
    with pytest.raises(Invalid):
        parse_pattern(text)

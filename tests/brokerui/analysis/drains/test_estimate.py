"""The estimate of a drain: later where more waits, sooner where more arrives, and none without a rate."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from brokerui.analysis.drains.estimate import DrainFacts, drain_seconds

COUNTS = st.integers(1, 10**9)


@pytest.mark.parametrize(
    ("facts", "seconds"),
    [
        (DrainFacts(messages=0, per_minute=None), 0),
        (DrainFacts(messages=5, per_minute=None), None),
        (DrainFacts(messages=5, per_minute=0), None),
        (DrainFacts(messages=240, per_minute=1_200), 12),
        (DrainFacts(messages=1, per_minute=60_000), 1),
        (DrainFacts(messages=240, per_minute=1_200, last_attempt_in_s=50), 62),
        (DrainFacts(messages=240, per_minute=1_200, last_attempt_in_s=50, is_due=True), 12),
        (DrainFacts(messages=240, per_minute=1_200, last_attempt_in_s=-9), 12),
    ],
)
def test_it_is_the_wait_for_the_last_attempt_and_the_time_at_the_known_rate(
    facts: DrainFacts, seconds: int | None
) -> None:
    assert drain_seconds(facts) == seconds


@given(COUNTS, COUNTS, COUNTS, COUNTS)
def test_more_messages_never_take_less_time_and_a_higher_rate_never_more(
    messages: int, more: int, rate: int, faster: int
) -> None:
    def at(messages: int, rate: int) -> int:
        return drain_seconds(DrainFacts(messages=messages, per_minute=rate)) or 0

    assert 1 <= at(messages, rate) <= at(messages + more, rate)
    assert at(messages, rate + faster) <= at(messages, rate)

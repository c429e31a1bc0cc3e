"""The pause between attempts: doubled with each failure, never above its limit."""

from __future__ import annotations

from brokerui.core.backoff import Backoff


def test_each_failure_doubles_the_pause_up_to_the_limit() -> None:
    backoff = Backoff(first_s=0.25, max_s=8.0)
    assert [backoff.pause_s(failures) for failures in range(1, 8)] == [0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 8.0]


def test_any_number_of_failures_has_a_pause() -> None:
    backoff = Backoff(first_s=0.25, max_s=8.0)
    assert backoff.pause_s(0) == 0.25
    assert backoff.pause_s(10**9) == 8.0


def test_chance_takes_off_no_more_than_its_share() -> None:
    backoff = Backoff(first_s=4.0, max_s=8.0, jitter=0.25)
    pauses = [backoff.pause_s(2) for _ in range(200)]
    assert all(6.0 <= pause <= 8.0 for pause in pauses)
    assert len(set(pauses)) > 100, "callers that failed together come back at different times"

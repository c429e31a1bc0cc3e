"""Moments between the engine and routing."""

from __future__ import annotations

from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as st

from routing.dialog.problems import PROBLEMS
from routing.ways import STATUS, milliseconds, moment


def test_the_engine_counts_milliseconds_since_1970() -> None:
    assert moment(1_900_000_000_123) == datetime(2030, 3, 17, 17, 46, 40, 123_000, tzinfo=UTC)


@given(st.integers(0, 200_000_000_000_000))
def test_a_moment_comes_back(now: int) -> None:
    assert milliseconds(moment(now)) == now


def test_every_reason_of_routing_has_a_status() -> None:
    from routing import decision

    reasons = {
        decision.NO_ROUTE,
        decision.SERVICE_NOT_FOUND,
        decision.ROUTE_REQUESTED,
        decision.NO_PRINCIPAL,
        decision.NOT_AN_ADDRESS,
        decision.FORWARDING_DISABLED,
        decision.HOP_LIMIT,
    }
    assert set(STATUS) == reasons
    assert set(STATUS.values()) <= PROBLEMS.keys()

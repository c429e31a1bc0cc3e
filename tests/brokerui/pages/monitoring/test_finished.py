"""Moments that are over are read once; the last minutes are read again each time."""

from __future__ import annotations

from collections.abc import Sequence

from brokerui.analysis.monitoring.finished import LATE_MS, FinishedMoments

NOW = 100 * LATE_MS
OVER, LATE = NOW - LATE_MS - 1, NOW - LATE_MS


def test_only_what_is_over_is_kept() -> None:
    moments, depths = FinishedMoments[int](0), {OVER: 1, LATE: 2}
    read: list[Sequence[int]] = []

    def look(missing: Sequence[int]) -> dict[int, int]:
        read.append(missing)
        return {at: depths[at] for at in missing if at in depths}

    assert moments.read("a", (OVER - 1, OVER, LATE), NOW, look) == {OVER - 1: 0, OVER: 1, LATE: 2}
    depths.update({OVER: 10, LATE: 20})
    assert moments.read("a", (OVER - 1, OVER, LATE), NOW, look) == {OVER - 1: 0, OVER: 1, LATE: 20}
    assert moments.read("another", (OVER,), NOW, look) == {OVER: 10}
    assert [list(missing) for missing in read] == [[OVER - 1, OVER, LATE], [LATE], [OVER]]
    moments.forget()
    assert moments.read("a", (OVER,), NOW, look) == {OVER: 10}


def test_moments_that_have_left_the_span_are_not_kept() -> None:
    moments = FinishedMoments[int](0)
    assert moments.read("a", (OVER,), NOW, lambda missing: dict.fromkeys(missing, 1)) == {OVER: 1}
    assert moments.read("a", (OVER - 1,), NOW, lambda missing: dict.fromkeys(missing, 2)) == {OVER - 1: 2}
    assert moments.read("a", (OVER,), NOW, lambda missing: dict.fromkeys(missing, 3)) == {OVER: 3}


def _refuse(_missing: Sequence[int]) -> dict[int, int]:
    raise AssertionError


def test_nothing_is_read_where_all_is_known() -> None:
    moments = FinishedMoments[int](0)
    moments.read("a", (OVER,), NOW, lambda missing: dict.fromkeys(missing, 1))
    assert moments.read("a", (OVER,), NOW, _refuse) == {OVER: 1}

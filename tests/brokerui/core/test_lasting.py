"""How long an answer stays true: the age in it that changes first says it."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils import timezone

from brokerui.analysis.monitoring.spans import SPANS
from brokerui.analysis.monitoring.wording import SECOND_MS, age_now, due
from brokerui.core.deferred import NotReadyError, defer, deferral_allowed
from brokerui.core.lasting import (
    ONE_UNIT,
    TRUE_TO,
    TWO_UNITS,
    Lasting,
    Units,
    grows,
    lasting,
    lasts,
    shrinks,
)
from brokerui.core.templatetags.look import when


@pytest.mark.parametrize(
    ("age_s", "units", "until"),
    [
        *((0.25, TWO_UNITS, 0.75), (61, TWO_UNITS, 59), (-5, TWO_UNITS, 1), (20, ONE_UNIT, 40)),
        *((3_610, ONE_UNIT, 3_590), (90_000, ONE_UNIT, 82_800)),
        *((59.5, TWO_UNITS, 5.95), (3_660, TWO_UNITS, 366), (86_400, TWO_UNITS, 8_640)),
    ],
)
def test_an_age_lasts_until_its_smallest_unit_is_full_or_a_tenth_passed(
    age_s: float, units: Units, until: float
) -> None:
    with lasting() as found:
        grows(age_s, units)
    assert found.seconds == pytest.approx(until)


@pytest.mark.parametrize(("left_s", "until"), [(0.5, 0.5), (1, 1), (61, 6.1), (120, 60), (-1, float("inf"))])
def test_a_time_that_is_left_lasts_until_the_next_or_a_tenth_passed(left_s: float, until: float) -> None:
    with lasting() as found:
        shrinks(left_s)
    assert found.seconds == pytest.approx(until)


def test_the_first_change_counts_and_an_outer_block_knows_it_too() -> None:
    lasts(1)  # nobody wants to know
    with lasting() as outer:
        with lasting() as inner:
            lasts(5)
            lasts(9)
        assert (inner.seconds, outer.seconds) == (5, 5)
        lasts(3)
    assert (inner.seconds, outer.seconds) == (5, 3)


def test_a_figure_that_is_being_counted_is_not_kept() -> None:
    with lasting() as outer:
        with lasting() as inner, deferral_allowed(), pytest.raises(NotReadyError):
            defer("counted", lambda: None)
        assert inner.is_passing
    assert outer.is_passing
    with lasting() as other:
        defer("counted", lambda: None)  # at once: nobody answers "ask again" here
    assert not other.is_passing


def test_words_say_another_age_when_that_time_is_over() -> None:
    for milliseconds in (900, 5_000, 65_000, 3_599_000, 86_399_000):
        with lasting() as found:
            words = age_now(milliseconds)
        later = milliseconds + found.seconds * SECOND_MS
        assert words != age_now(int(later))


@pytest.mark.parametrize("milliseconds", [900, 30_000, 65_000, 3_599_000, 86_399_000])
def test_words_are_nearly_true_until_that_time_is_over(milliseconds: int) -> None:
    with lasting() as found:
        words = age_now(milliseconds)
    last = int(milliseconds + found.seconds * SECOND_MS) - 1
    assert age_now(last) == words or last <= milliseconds * (1 + TRUE_TO)


@pytest.mark.parametrize(("seconds", "kept"), [(0.5, 10), (60, 60), (float("inf"), 120)])
def test_words_are_kept_for_some_seconds_at_least_and_two_minutes_at_most(seconds: float, kept: float) -> None:
    assert Lasting(seconds).kept_s == kept


def test_pages_note_their_ages_and_the_moments_of_their_charts() -> None:
    with lasting() as found:
        SPANS[0].moments(60_000 * 5 + 1_000)
    assert found.seconds == 119
    with lasting() as found:
        due(30_500, 0)
    assert found.seconds == pytest.approx(3.05)
    with lasting() as found:
        when(timezone.now() - timedelta(minutes=5, seconds=1))
    assert 50 < found.seconds <= 59

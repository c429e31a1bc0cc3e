"""Moments: ISO 8601 texts to UTC and back."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from routing.common.errors import Invalid
from routing.common.moment import format_moment, parse_moment

NOON = datetime(2030, 1, 31, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    "text",
    [
        "2030-01-31T12:00:00Z",
        "2030-01-31T12:00:00",
        "2030-01-31 12:00",
        "2030-01-31T12:00:00+00:00",
        "2030-01-31T14:00:00+02:00",
        "2030-01-31T06:30:00-05:30",
        "20300131T120000Z",
        "2030-01-31T12:00:00.000Z",
    ],
)
def test_spellings_of_one_moment_are_one_utc_datetime(text: str) -> None:
    assert parse_moment(text) == NOON
    assert parse_moment(text).tzinfo is UTC


def test_a_date_alone_is_its_first_moment() -> None:
    assert parse_moment("2030-01-31") == datetime(2030, 1, 31, tzinfo=UTC)


@pytest.mark.parametrize(
    "text",
    ["", "tomorrow", "2030-02-30", "2030-01-31T25:00", "0001-01-01T00:00:00+12:00", "9999-12-31T23:59:59-12:00"],
)
def test_what_is_no_moment_is_refused(text: str) -> None:
    with pytest.raises(Invalid, match="must be a date and time as ISO 8601"):
        parse_moment(text)


@pytest.mark.parametrize(
    ("moment", "text"),
    [
        (NOON, "2030-01-31T12:00:00Z"),
        (NOON + timedelta(microseconds=1), "2030-01-31T12:00:00.000001Z"),
        (NOON.astimezone(timezone(timedelta(hours=2))), "2030-01-31T12:00:00Z"),
    ],
)
def test_a_moment_is_written_in_utc_with_a_z(moment: datetime, text: str) -> None:
    assert format_moment(moment) == text


@given(st.datetimes(timezones=st.just(UTC)))
def test_reading_what_was_written_is_the_identity(moment: datetime) -> None:
    assert parse_moment(format_moment(moment)) == moment

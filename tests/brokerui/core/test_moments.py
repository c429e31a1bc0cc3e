"""Moments are written and read in the zone and by the clock of the reader; nothing goes round it."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from brokerui.core import moments
from brokerui.core.home import CHECKOUT
from brokerui.core.templatetags.wording import sentence_html, sentence_text
from brokerui.core.typed_moments import canonical, document_text, read_moment
from brokerui.drawing.charts.time_axis import TimeAxis
from routing.common.errors import Invalid
from routing.common.sentence import say

WINTER = datetime(2030, 1, 31, 13, 5, 9, 120_000, UTC)
SUMMER = datetime(2030, 7, 31, 22, 30, tzinfo=UTC)
BERLIN, KOLKATA = ZoneInfo("Europe/Berlin"), ZoneInfo("Asia/Kolkata")


def test_without_a_reader_it_is_utc() -> None:
    assert moments.moment_words(WINTER, seconds=True) == "2030-01-31 13:05:09 UTC"
    assert moments.axis_title(WINTER) == "UTC"
    assert moments.file_moment(SUMMER) == "2030-07-31T22:30:00+00:00"


def test_a_zone_with_its_distance() -> None:
    with moments.shown_in(BERLIN, 24):
        assert moments.moment_words(WINTER) == "2030-01-31 14:05 UTC+1"
        assert moments.moment_words(SUMMER) == "2030-08-01 00:30 UTC+2"
        assert moments.file_moment(SUMMER) == "2030-08-01T00:30:00+02:00"
        assert moments.axis_title(SUMMER) == "Europe/Berlin, UTC+2"
        tag = moments.time_tag(WINTER, "x")
        assert 'datetime="2030-01-31T13:05:09+00:00"' in tag
        assert 'title="2030-01-31 14:05:09 UTC+1 = 2030-01-31 13:05:09 UTC"' in tag
    assert moments.zone_name() == "UTC"


def test_a_clock_of_twelve_hours() -> None:
    with moments.shown_in(KOLKATA, 12):
        assert moments.clock_words(WINTER) == "6:35 PM UTC+5:30"
        assert moments.clock_text_ms(WINTER) == "6:35:09.120 PM"


@pytest.mark.parametrize(
    "text",
    [
        "2030-01-31 14:05:09.12",
        "2030-01-31T13:05:09.12Z",
        "2030-01-31 13:05:09.12 UTC",
        "2030-01-31 14:05:09.12 UTC+1",
        "2030-01-31T18:35:09.12+05:30",
    ],
)
def test_a_typed_moment_is_of_the_zone_unless_it_says_another(text: str) -> None:
    with moments.shown_in(BERLIN, 24):
        assert read_moment(text) == WINTER


def test_what_a_page_writes_is_read_again() -> None:
    with moments.shown_in(KOLKATA, 12):
        written = moments.moment_words(WINTER, seconds=True)
        assert read_moment(written) == WINTER.replace(microsecond=0)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("2030-10-27 02:30", "comes twice in Europe/Berlin: write UTC+2 or UTC+1 behind it"),
        ("2030-03-31 02:30", "is no time of Europe/Berlin: the clock is put forward over it"),
    ],
)
def test_an_hour_that_comes_twice_or_never_is_refused(text: str, problem: str) -> None:
    with moments.shown_in(BERLIN, 24), pytest.raises(Invalid, match=re.escape(problem)):
        read_moment(text)


def test_the_hour_that_comes_twice_is_read_with_its_offset() -> None:
    with moments.shown_in(BERLIN, 24):
        assert read_moment("2030-10-27 02:30 UTC+2") == datetime(2030, 10, 27, 0, 30, tzinfo=UTC)
        assert read_moment("2030-10-27 02:30 UTC+1") == datetime(2030, 10, 27, 1, 30, tzinfo=UTC)


def test_an_address_has_utc() -> None:
    with moments.shown_in(BERLIN, 24):
        assert canonical("2030-01-31 14:05") == "2030-01-31T13:05:00Z"
        assert canonical("2030-10-27 02:30") == "2030-10-27 02:30"
        assert [canonical(text) for text in ("12", "hour", "2030-01-31T12:00:00Z", "")] == [
            "12",
            "hour",
            "2030-01-31T12:00:00Z",
            "",
        ]
        assert document_text("never") == "never"


def test_a_sentence_of_the_engine_has_its_moments_in_the_zone() -> None:
    sentence = say("{inner}, {names}", inner=say("ends at {at}", at="2030-01-31T13:05:09Z"), names=("a", "Z"))
    with moments.shown_in(BERLIN, 24):
        assert sentence_text(sentence) == "ends at 2030-01-31 14:05:09 UTC+1, a, Z"
        assert "<b>2030-01-31 14:05:09 UTC+1</b>" in sentence_html(sentence)
    assert sentence_text(sentence) == "ends at 2030-01-31T13:05:09Z, a, Z"


def test_an_axis_has_no_hour_twice() -> None:

    first, step = int(datetime(2030, 10, 26, 22, tzinfo=UTC).timestamp() * 1000), 1_800_000
    with moments.shown_in(BERLIN, 24):
        axis = TimeAxis(first, first + 8 * step)
        shown = [axis.at(first + number * step) for number in range(9)]
    assert shown == sorted(set(shown))


def test_ticks_of_less_than_a_day_have_their_day_on_a_long_axis_and_ticks_within_a_minute_their_second() -> None:
    day = 24 * 3_600_000
    for length, hours in ((day, "%H:%M"), (3 * day, "%d.%m. %H:%M")):
        stops = TimeAxis(0, length).figure("y")["tickformatstops"]
        assert [stop["value"] for stop in stops] == ["%H:%M:%S", hours, "%d.%m."]
        assert [stop["dtickrange"] for stop in stops] == [[None, 59_999], [60_000, day - 1], [day, None]]


# -- Nothing goes round it ------------------------------------------------------------------------------------

ROUND = re.compile(
    r"""strftime\(|\.isoformat\(|date_format\(|localtime\(|%H:%M|%Y-%m-%d|\|(?:date|time):|\{%\s*now|\btyped_moment\b"""
    r"""|toLocaleString|toLocaleTimeString|toLocaleDateString|toISOString"""
)
ALLOWED = {
    "brokerui/pages/alerts/forms.py": "the mark of a row, which a form sends back",
    "brokerui/pages/servers/leak_page.py": "a day as `9 Nov`, of a moment in the zone",
    "brokerui/pages/changes/pasted_rows.py": "rows of sys.routes, whose lifetime is UTC",
}
PLACES = (("brokerui/pages", "*.py"), ("brokerui/drawing", "*.py"), ("templates", "*"), ("static/js", "*.js"))


def test_pages_and_charts_write_and_read_moments_in_one_way() -> None:
    found = {
        str(path.relative_to(CHECKOUT))
        for folder, pattern in PLACES
        for path in (CHECKOUT / folder).rglob(pattern)
        if path.is_file() and _goes_round(path)
    }
    assert found - {"brokerui/drawing/charts/time_axis.py"} == ALLOWED.keys()


def _goes_round(path: Path) -> bool:
    return path.suffix in (".py", ".html", ".js", ".svg") and ROUND.search(path.read_text()) is not None

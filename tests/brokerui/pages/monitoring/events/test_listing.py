"""The words of the page *Events*, and the filters of its address."""

from __future__ import annotations

import pytest
from django.test import override_settings

from brokerui.analysis.monitoring.wording import moment
from brokerui.api.events import EventQuery
from brokerui.eventlog.exceptional import EXCEPTIONAL
from brokerui.eventlog.selectors import Cursor, Filter
from brokerui.pages.events.listing import EventsQuery, headline, key_of, times_of
from brokerui.pages.events.wording import subclass_name

HOUR = 3_600_000
AT = 1_767_225_600_000 + 7 * HOUR + HOUR // 2
"""2026-01-01 07:30."""


@pytest.mark.parametrize(
    ("counts", "says"),
    [
        ({138: 1}, "1 exceptional event since 06:00 UTC, all of them Broker:Connection."),
        ({138: 1200, 160: 34}, "1,234 exceptional events since 06:00 UTC, most often Broker:Connection (1,200)."),
        ({}, "No exceptional event since 06:00 UTC; older ones are below."),
    ],
)
@override_settings(LANGUAGE_CODE="en")
def test_the_headline_counts_from_a_whole_hour(counts: dict[int, int], says: str) -> None:
    assert headline(counts, AT, is_filtered=False, is_empty=False) == says


def test_the_query_is_the_filter_of_rest_in_the_words_of_the_page() -> None:
    guid = "6F3F0D5E-0000-4000-8000-000000000001"
    query = {"event_class": "Broker:Connection", "error": "9736", "conversation_id": f" {guid} ", "since": "6h"}
    found = EventsQuery.of({**query, "database": "db", "other": "x"})
    wanted = Filter(database="db", event_class=138, error=9736, conversation_id=guid.lower(), since=AT - 6 * HOUR)
    assert found.filter(AT) == wanted
    assert EventsQuery.of({"event_class": "138"}).filter(AT).event_class == 138
    assert "after" not in found.query()
    spell = {"target": "To", "since": "2026-01-01 06:30:00 UTC", "until": "2026-01-01T07:30:00Z"}
    assert EventsQuery.of(spell).filter(AT) == Filter(target="To", since=AT - HOUR, until=AT)
    assert EventsQuery.of({"after": "1 2"}).filter(AT) == Filter()


def test_the_page_and_rest_have_the_same_filters() -> None:
    assert set(EventsQuery.FILTERS) == set(EventQuery().fields) - {"cursor", "limit"}


@pytest.mark.parametrize("text", ["", "x", "1", "1 x", "0 0", "-1 2", f"{'9' * 30} 1", "\0 1", "\N{SUPERSCRIPT TWO} 1"])
def test_a_text_that_is_no_key_begins_at_the_first_row(text: str) -> None:
    assert key_of(text) is None
    assert key_of("1767225600000 7") == Cursor(1_767_225_600_000, 7)


def test_the_day_stands_only_where_it_is_not_today() -> None:
    first, last = moment(AT), moment(AT + 61_000)
    assert times_of(first, last, last) == "07:30:00 \N{EN DASH} 07:31:01"
    assert times_of(last, last, moment(AT + 24 * HOUR)) == "2026-01-01 07:31:01"


def test_every_subclass_that_an_operator_sees_has_the_products_name() -> None:
    names = {subclass_name(*event) for event in EXCEPTIONAL}
    assert {"END CONVERSATION WITH ERROR", "Received END CONVERSATION WITH ERROR", "Send IO Error"} <= names
    assert {"END CONVERSATION WITH CLEANUP", "Failed to Start", "Connect Failed"} <= names
    assert not any(name.isdecimal() for name in names)
    assert (subclass_name(138, 99), subclass_name(143, 1)) == ("99", "1")

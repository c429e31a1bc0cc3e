"""Reading counters, samples and exceptional events."""

from __future__ import annotations

from typing import Any

import pytest

from brokerui.eventlog.counting import CounterKey, CounterSums, counted, latencies_counted
from brokerui.eventlog.exceptional import Exceptional, ExceptionSums
from brokerui.eventlog.models import HOUR
from brokerui.eventlog.selectors import (
    LONGEST,
    MEASURES,
    RETRIED,
    SENT,
    CounterPoint,
    Filter,
    LatencyPoint,
    counted_by_database,
    counted_over_time,
    event_name,
    exceptional_by_class,
    exceptional_page,
    latencies_over_time,
    latest_samples,
    totals,
)
from brokerui.eventlog.services import DAY_MS, counts_add, exceptions_add, samples_put, tidy
from tests.brokerui.eventlog.samples import AT, EVENTS, SAMPLES

pytestmark = pytest.mark.both_databases

HOUR_AT = AT - AT % 3_600_000


def tell(number: int, *, at: int = 0, times: int = 1, **changes: Any) -> None:
    what = Exceptional("A", 160, 1, "db", 11209, "S", "", f"{number}")._replace(**changes)
    exceptions_add({(what, HOUR_AT): ExceptionSums(times, HOUR_AT + at, HOUR_AT + at, f"c{number}", "h")})


@pytest.mark.django_db
@pytest.mark.parametrize("is_oldest_first", [False, True])
def test_pages_by_key_have_every_row_once_in_the_order_of_time(
    django_assert_num_queries: Any, is_oldest_first: bool
) -> None:
    for number in range(25):
        tell(number, at=number // 3)
    seen, after = [], None
    while True:
        with django_assert_num_queries(1):
            page = exceptional_page(Filter(), after=after, limit=10, is_oldest_first=is_oldest_first)
        seen += [int(row.text_data) for row in page.rows]
        after = page.after
        if after is None:
            break
    assert sorted(seen) == list(range(25))
    assert [number // 3 for number in seen] == sorted((number // 3 for number in seen), reverse=not is_oldest_first)
    assert exceptional_page(Filter(), limit=25).after is None
    assert len(exceptional_page(Filter(), limit=0).rows) == 1
    assert len(exceptional_page(Filter(), limit=10 * LONGEST).rows) == 25


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        (Filter(), {1, 2, 3}),
        (Filter(instance="B"), {2}),
        (Filter(database="other"), {3}),
        (Filter(event_class=161), {2}),
        (Filter(error=11209), {1, 3}),
        (Filter(target="T"), {3}),
        (Filter(conversation_id="c2"), {2}),
        (Filter(since=HOUR_AT + 10), {2, 3}),
        (Filter(until=HOUR_AT + 20), {1, 2}),
        (Filter(instance="B", error=11209), set()),
    ],
)
def test_filters(condition: Filter, expected: set[int]) -> None:
    tell(1)
    tell(2, at=10, instance="B", event_class=161, error=0)
    tell(3, at=20, database="other", target="T", times=5)
    assert {int(row.text_data) for row in exceptional_page(condition).rows} == expected
    if condition == Filter():
        assert exceptional_by_class(Filter(event_class=161)) == {160: 6, 161: 1}
        assert event_name(160) == "Broker:Message Undeliverable"


@pytest.mark.django_db
def test_what_was_counted_over_time_by_minutes_and_by_hours() -> None:
    for at in (HOUR_AT, HOUR_AT + 60_000, HOUR_AT + 3_600_000):
        counts_add(
            {
                CounterKey(at, "A", 124, 1, "db", 0): CounterSums(2, 2, 20),
                CounterKey(at, "A", 124, 6, "db", 0): CounterSums(9, 9, 9),
            }
        )
        counts_add({CounterKey(at, "B", 124, 2, "x", 0): CounterSums(1, 1, 0)})
    span = {"since": HOUR_AT, "until": HOUR_AT + 2 * 3_600_000}
    minutes = [
        CounterPoint(HOUR_AT, 60, 3),
        CounterPoint(HOUR_AT + 60_000, 60, 3),
        CounterPoint(HOUR_AT + 3_600_000, 60, 3),
    ]
    assert counted_over_time(SENT, **span) == minutes
    assert [point.value for point in counted_over_time(SENT.bytes(), instance="A", database="db", **span)] == [20] * 3
    assert counted_by_database(SENT, **span) == {("A", "db"): 6, ("B", "x"): 3}
    tidy(HOUR_AT + 3_600_000 + DAY_MS, minutes_days=1, hours_days=400, rows_days=30)
    assert counted_over_time(SENT, **span) == [CounterPoint(HOUR_AT, HOUR, 6), CounterPoint(HOUR_AT + 3_600_000, 60, 3)]
    assert counted_by_database(SENT, **span) == {("A", "db"): 6, ("B", "x"): 3}


@pytest.mark.django_db
def test_latencies_of_all_instances_together_by_minute_and_hour() -> None:
    for instance, at in (("A", HOUR_AT), ("B", HOUR_AT), ("A", HOUR_AT + 60_000)):
        counts_add(latencies_counted(instance, at, {3: 2}))
    span = {"since": HOUR_AT, "until": HOUR_AT + 3_600_000}
    assert latencies_over_time(**span) == [LatencyPoint(HOUR_AT, 60, 3, 4), LatencyPoint(HOUR_AT + 60_000, 60, 3, 2)]
    tidy(HOUR_AT + 3_600_000 + DAY_MS, minutes_days=1, hours_days=400, rows_days=30)
    assert latencies_over_time(**span) == [LatencyPoint(HOUR_AT, HOUR, 3, 6)]


@pytest.mark.django_db
def test_every_measure_finds_its_events() -> None:
    counts_add(counted("A", [(AT, event) for event in EVENTS]))
    span = {"since": AT - 60_000, "until": AT + 1}
    found = {name: sum(point.value for point in counted_over_time(one, **span)) for name, one in MEASURES.items()}
    assert {name: value for name, value in found.items() if value} == {
        "sent": 1,
        "sent_bytes": 100,
        "received": 3,
        "received_bytes": 300,
        "transmitted": 3,
        "transmitted_bytes": 300,
        "retried": 3,
        "forwarded": 1,
        "dropped": 1,
    }
    assert RETRIED.subclasses == (2,)
    counts_add(counted("A", [(AT + 60_000, event) for event in EVENTS]))
    assert sum(total.events for total in totals()) == 2 * len(EVENTS)
    assert ("A", 1001, 2, "db", 0, 2, 6, 600) in totals()
    tidy(AT + 500 * DAY_MS, minutes_days=1, hours_days=400, rows_days=30)
    assert sum(total.events for total in totals()) == 2 * len(EVENTS)


@pytest.mark.django_db
def test_the_latest_samples_are_those_of_the_last_minute() -> None:
    assert latest_samples() == []
    samples_put(HOUR_AT, "A", SAMPLES)
    samples_put(HOUR_AT + 60_000, "A", SAMPLES[:2])
    assert [(row.at, row.kind) for row in latest_samples()] == [(HOUR_AT + 60_000, 1), (HOUR_AT + 60_000, 2)]

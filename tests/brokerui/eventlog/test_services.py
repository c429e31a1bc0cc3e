"""The written rows of events: sums, samples and exceptional events; and how old ones are summed and deleted."""

from __future__ import annotations

import threading
from typing import Any

import pytest
from django.db import connection, connections

from brokerui.eventlog.counting import CounterKey, CounterSums, counted
from brokerui.eventlog.exceptional import Exceptional, Exceptions, ExceptionSums, exceptions_of
from brokerui.eventlog.models import HOUR, MINUTE, EventCount, ExceptionalEvent, Sampled
from brokerui.eventlog.samples import OfSample, Sample
from brokerui.eventlog.services import (
    AT_ONCE,
    DAY_MS,
    MOST_IN_AN_HOUR,
    counts_add,
    exceptions_add,
    samples_put,
    tidy,
)
from routing.common.event_subclasses import UndeliverableSubclass
from routing.common.network_events import CorruptedMessage, MessageUndeliverable
from tests.brokerui.eventlog.samples import AT, EVENTS, SAMPLES

pytestmark = pytest.mark.both_databases

HOUR_AT = AT - AT % 3_600_000
KEPT = {"minutes_days": 7, "hours_days": 400, "rows_days": 30}


def key(at: int = HOUR_AT, database: str = "db") -> CounterKey:
    return CounterKey(at, "A", 124, 1, database, 0)


def stored() -> dict[tuple[int, int, str], tuple[int, int, int]]:
    return {
        (row.seconds, row.at, row.database): (row.events, row.messages, row.bytes) for row in EventCount.objects.all()
    }


@pytest.mark.django_db
def test_sums_are_added_to_sums() -> None:
    counts_add({key(): CounterSums(1, 2, 30)})
    counts_add({key(): CounterSums(10, 20, 300), key(database="other"): CounterSums(1, 0, 0)})
    assert stored() == {(MINUTE, HOUR_AT, "db"): (11, 22, 330), (MINUTE, HOUR_AT, "other"): (1, 0, 0)}


@pytest.mark.django_db
def test_all_kinds_are_taken_however_many_there_are(django_assert_num_queries: Any) -> None:
    counts_add(counted("A", [(AT, event) for event in EVENTS]))
    assert EventCount.objects.count() == len(EVENTS)
    many = {key(database=f"d{number}"): CounterSums(1, 1, 1) for number in range(2 * AT_ONCE + 1)}
    with django_assert_num_queries(2 + 2 * 3):  # within a transaction
        counts_add(many)
    assert EventCount.objects.count() == len(EVENTS) + len(many)


@pytest.mark.skipif(connection.vendor == "sqlite", reason="of PostgreSQL: SQLite in memory is of one thread")
@pytest.mark.django_db(transaction=True)
def test_workers_that_add_at_the_same_time_lose_nothing() -> None:
    keys = [key(database=f"d{number}") for number in range(20)]

    def add(order: int) -> None:
        try:
            for _ in range(10):
                counts_add(dict.fromkeys(keys[::order], CounterSums(1, 1, 1)))
        finally:
            connections.close_all()

    workers = [threading.Thread(target=add, args=(order,)) for order in (1, -1)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert set(stored().values()) == {(20, 20, 20)}


@pytest.mark.django_db
def test_a_burst_of_equal_events_is_one_row_with_a_count() -> None:
    event = MessageUndeliverable(UndeliverableSubclass.SEQUENCED_MESSAGE, "db", "c", 1, -1, 11209)
    for batch in range(100):
        exceptions_add(exceptions_of("A", [(HOUR_AT + batch, event)] * 1_000))
    (row,) = ExceptionalEvent.objects.all()
    assert (row.occurrences, row.first_at, row.last_at) == (100_000, HOUR_AT, HOUR_AT + 99)
    assert (row.event_class, row.event_subclass, row.database_name, row.error) == (160, 1, "db", 11209)
    exceptions_add(exceptions_of("A", [(HOUR_AT + 3_600_000, event)]))
    assert ExceptionalEvent.objects.count() == 2


@pytest.mark.django_db
def test_every_exceptional_event_can_be_written() -> None:
    strange = CorruptedMessage("", "", "a \0 and \N{PILE OF POO}" * 1_000, 0)
    exceptions_add(exceptions_of("A", [(AT, event) for event in (*EVENTS, strange)]))
    assert {138, 140, 143, 144, 158, 159, 160, 161, 163, 1003} == set(
        ExceptionalEvent.objects.values_list("event_class", flat=True)
    )
    failed = ExceptionalEvent.objects.get(event_class=138)
    assert (failed.address, failed.text_data) == ("tcp://b:4022", "refused")
    assert "\0" not in ExceptionalEvent.objects.get(event_class=161, error=0).text_data


def invented(first: int, count: int) -> Exceptions:
    return {
        (Exceptional("A", 161, 0, "", 0, "", "", f"{number}"), HOUR_AT): ExceptionSums(1, AT, AT, "", "")
        for number in range(first, first + count)
    }


@pytest.mark.django_db
def test_an_hour_has_room_for_so_many_and_known_ones_still_count(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("brokerui.eventlog.services.MOST_IN_AN_HOUR", 10)
    assert MOST_IN_AN_HOUR == 5_000
    exceptions_add(invented(0, 8))
    exceptions_add(invented(5, 10))
    assert ExceptionalEvent.objects.count() == 10
    exceptions_add(invented(0, 100))
    assert ExceptionalEvent.objects.count() == 10
    assert ExceptionalEvent.objects.get(text_data="5").occurrences == 3


@pytest.mark.django_db
def test_samples_of_a_minute_are_there_once() -> None:
    samples_put(HOUR_AT, "A", SAMPLES)
    samples_put(HOUR_AT, "A", [SAMPLES[0]._replace(depth=9, oldest_age_ms=None), *SAMPLES[1:]])
    rows = {row.kind: row for row in Sampled.objects.all()}
    assert len(rows) == len(SAMPLES)
    assert (rows[1].depth, rows[1].oldest_age_ms, rows[1].name) == (9, None, "Q")
    assert (rows[3].error, rows[3].depth) == (9793, 2)
    assert (rows[4].role, rows[5].role) == ("PRINCIPAL", "tcp://a:1")
    long = SAMPLES[4]._replace(service="S" * 256, address="a" * 256)
    samples_put(HOUR_AT, "B", [long])
    assert Sampled.objects.filter(instance="B").count() == 1


@pytest.mark.django_db
def test_minutes_become_hours_and_nothing_is_counted_twice() -> None:
    for minute in range(120):
        at = HOUR_AT + minute * 60_000
        counts_add({key(at): CounterSums(1, 2, 3)})
        samples_put(at, "A", [Sample(OfSample.QUEUE, "db", "Q", depth=minute, oldest_age_ms=minute)])
    now = HOUR_AT + 3_600_000 + 7 * DAY_MS
    for _ in range(2):
        tidy(now, **KEPT)
        assert stored()[HOUR, HOUR_AT, "db"] == (60, 120, 180)
        assert EventCount.objects.filter(seconds=MINUTE).count() == 60
        assert Sampled.objects.get(seconds=HOUR).depth == 59
    counts_add({key(HOUR_AT): CounterSums(1, 2, 3)})  # a worker that was late
    samples_put(HOUR_AT, "A", [Sample(OfSample.QUEUE, "db", "Q", depth=1_000)])
    tidy(now, **KEPT)
    assert stored()[HOUR, HOUR_AT, "db"] == (61, 122, 183)
    assert Sampled.objects.get(seconds=HOUR).depth == 1_000


@pytest.mark.django_db
def test_what_is_old_goes_in_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("brokerui.eventlog.services.DELETED_AT_ONCE", 3)
    for hour in range(10):
        counts_add({key(HOUR_AT + hour * 3_600_000): CounterSums(1, 1, 1)})
        exceptions_add({(what, HOUR_AT + hour): seen for (what, _), seen in invented(hour, 1).items()})
    tidy(HOUR_AT + 8 * 3_600_000 + 400 * DAY_MS, **KEPT)
    assert sorted(at for _, at, _ in stored()) == [HOUR_AT + hour * 3_600_000 for hour in (8, 9)]
    assert not ExceptionalEvent.objects.exists()

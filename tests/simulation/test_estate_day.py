"""A simulated day: the same plan gives the same events, within the day, on the ways that the routes give."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest

from routing.common.broker_events import Event, MessagesReceived, MessagesSent, StatusChanged
from routing.documents.estate_document import read_estate
from routing.model.estate import Estate
from routing.simulation.estate_day import DAY_MS, MISSING_MS, DayPlan, EstateDay
from tests.brokerui.estates import LOCAL, database, document, instance, to

START_MS = 1_772_323_200_000
Reported = tuple[str, int, Event]


def both_ways() -> Estate:
    back = to("tcp://shop:4022", "Buy")
    return read_estate(
        document(
            instance("shop", database("Orders", LOCAL, to("tcp://depot:4022", "Ship"), services=("Buy",))),
            instance("depot", database("Stock", LOCAL, back, services=("Ship",))),
            instance("idle", database("msdb", LOCAL)),
        )
    )


def day_of(estate: Estate, *, seed: int = 1, conversations: int = 60) -> list[Reported]:
    day = EstateDay(DayPlan(estate=estate, seed=seed, start_ms=START_MS, conversations=conversations))
    return [(name, at, one) for portion in day.events() for name, events in portion for at, one in events]


@pytest.fixture(scope="module")
def day() -> list[Reported]:
    return day_of(both_ways())


def test_the_same_plan_gives_the_same_day_and_another_seed_another(day: list[Reported]) -> None:
    assert day_of(both_ways()) == day
    assert day_of(both_ways(), seed=2) != day


def test_events_are_of_the_day_and_in_order_at_each_instance(day: list[Reported]) -> None:
    assert {START_MS <= at <= START_MS + DAY_MS for _, at, _ in day} == {True}
    for name in ("shop", "depot"):
        moments = [at for reporter, at, _ in day if reporter == name]
        assert moments == sorted(moments)


def test_messages_take_the_ways_of_the_routes_and_are_received(day: list[Reported]) -> None:
    ways = {(name, one.next_hop, one.route) for name, _, one in day if isinstance(one, MessagesSent)}
    assert ways == {
        ("shop", "tcp://depot:4022", "To tcp://depot:4022"),
        ("depot", "tcp://shop:4022", "To tcp://shop:4022"),
    }
    kinds = Counter(type(one) for _, _, one in day)
    assert kinds[MessagesReceived] > 60, "messages, answers and ends of 60 conversations"


def test_for_an_hour_a_route_is_missing_and_its_conversations_go_on_once_it_is_back() -> None:
    day = EstateDay(DayPlan(estate=both_ways(), seed=1, start_ms=START_MS, conversations=200))
    found = [(at, one) for portion in day.events() for _, events in portion for at, one in events]
    assert day.missing is not None
    begins, ends = (START_MS + moment for moment in MISSING_MS)
    changes = [(at, one) for at, one in found if isinstance(one, StatusChanged)]
    waiting = [at for at, one in changes if one.status]
    assert waiting
    assert begins <= min(waiting)
    assert max(waiting) < ends
    assert any(ends <= at < ends + 1_000 and not one.status for at, one in changes), "some leave with the new route"


def test_an_estate_without_services_has_an_empty_day() -> None:
    assert day_of(replace(both_ways(), instances={})) == []


def test_a_route_that_is_missing_shows_as_a_cause() -> None:
    lost = read_estate(
        document(
            instance("shop", database("Orders", to("tcp://nowhere:1", "Ship"), services=("Buy",))),
            instance("depot", database("Stock", LOCAL, services=("Ship",))),
        )
    )
    found = day_of(lost, conversations=30)
    assert {one.status for _, _, one in found if isinstance(one, StatusChanged)} - {0}

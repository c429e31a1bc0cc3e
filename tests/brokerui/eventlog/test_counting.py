"""Events in numbers, and those that an operator should see."""

from __future__ import annotations

import re
from pathlib import Path

from brokerui.eventlog import counting, exceptional
from brokerui.eventlog.counting import CounterKey, CounterSums, counted
from brokerui.eventlog.exceptional import (
    ANY,
    EXCEPTIONAL,
    MOST_AT_ONCE,
    any_exceptional,
    exceptions_of,
    why_exceptional,
)
from routing.common.broker_events import EVENT_NAMES, StatusChanged
from routing.common.event_subclasses import UndeliverableSubclass
from routing.common.network_events import CorruptedMessage, MessageUndeliverable
from tests.brokerui.eventlog.samples import AT, EVENTS, SIDE

MINUTE = AT - AT % 60_000
HOUR = AT - AT % 3_600_000


def test_every_event_is_counted_with_its_messages_and_bytes() -> None:
    counts = counted("A", [(AT, event) for event in EVENTS])
    assert sum(sums.events for sums in counts.values()) == len(EVENTS)
    assert {key.event_class for key in counts} == {event.number for event in EVENTS}
    assert {key.at for key in counts} == {MINUTE}
    assert counts[CounterKey(MINUTE, "A", 124, 1, "db", 0)] == CounterSums(1, 1, 100)
    assert counts[CounterKey(MINUTE, "A", 1001, 2, "db", 0)] == CounterSums(1, 3, 300)
    assert counts[CounterKey(MINUTE, "A", 1002, 0, "db", 0)] == CounterSums(1, 3, 300)
    assert counts[CounterKey(MINUTE, "A", 141, 2, "db", 9793)] == CounterSums(1, 0, 0)
    assert counts[CounterKey(MINUTE, "A", 160, 1, "db", 11213)] == CounterSums(1, 0, 0)


def test_what_is_alike_is_summed_up_minute_by_minute() -> None:
    event = EVENTS[0]
    counts = counted("A", [(MINUTE, event), (MINUTE + 59_999, event), (MINUTE + 60_000, event)])
    assert [(key.at, sums) for key, sums in counts.items()] == [
        (MINUTE, CounterSums(2, 2, 200)),
        (MINUTE + 60_000, CounterSums(1, 1, 100)),
    ]
    counting.add(counts, counted("A", [(MINUTE, event)]))
    assert counts[CounterKey(MINUTE, "A", 124, 1, "db", 0)] == CounterSums(3, 3, 300)


def test_latencies_are_counted_by_minute_and_step() -> None:
    counts = counting.latencies_counted("A", AT, {0: 2, 7: 1})
    assert counts == {
        CounterKey(MINUTE, "A", counting.LATENCY, 0, "", 0): CounterSums(2, 2, 0),
        CounterKey(MINUTE, "A", counting.LATENCY, 7, "", 0): CounterSums(1, 1, 0),
    }


def test_what_is_exceptional_is_a_known_event() -> None:
    assert {event_class for event_class, _ in EXCEPTIONAL} <= set(EVENT_NAMES)


def test_the_usual_is_not_exceptional() -> None:
    for event in EVENTS:
        counts = counted("A", [(AT, event)])
        is_exceptional = event.number in {138, 140, 143, 144, 158, 159, 160, 161, 163, 1003}
        assert any_exceptional(counts) == is_exceptional == bool(exceptions_of("A", [(AT, event)]))
    over = StatusChanged(*SIDE, 0, 9793)
    assert exceptions_of("A", [(AT, over)]) == {}


def test_a_duplicate_says_to_look_at_the_way_back() -> None:
    assert why_exceptional(160, UndeliverableSubclass.SEQUENCED_MESSAGE, 11218).endswith("look at the way back")
    assert why_exceptional(160, UndeliverableSubclass.SEQUENCED_MESSAGE, 11209) == EXCEPTIONAL[160, ANY]
    assert why_exceptional(138, 3, 0) == "a next hop cannot be reached"


def test_what_is_alike_is_one_whatever_its_conversation() -> None:
    burst = [
        (
            AT + number,
            MessageUndeliverable(UndeliverableSubclass.SEQUENCED_MESSAGE, "db", f"c{number}", number, -1, 11209),
        )
        for number in range(1_000)
    ]
    ((what, hour), seen), *others = exceptions_of("A", burst).items()
    assert (others, hour) == ([], HOUR)
    assert (what.event_class, what.database, what.error) == (160, "db", 11209)
    assert (seen.events, seen.first_at, seen.last_at, seen.conversation_id) == (1_000, AT, AT + 999, "c999")


def test_two_that_dialled_from_one_host_are_alike_and_two_next_hops_are_not() -> None:
    login = next(event for event in EVENTS if event.number == 159)
    failed = next(event for event in EVENTS if event.number == 138)
    assert len(exceptions_of("A", [(AT, login), (AT, login._replace(address="10.0.0.1:6000"))])) == 1
    assert len(exceptions_of("A", [(AT, failed), (AT, failed._replace(address="tcp://b:4023"))])) == 2


def test_as_many_different_ones_as_anybody_invents_take_no_more_room() -> None:
    found = exceptions_of("A", [(AT, CorruptedMessage("", "", f"{n}", 0)) for n in range(MOST_AT_ONCE + 10)])
    assert len(found) == MOST_AT_ONCE
    exceptional.add(found, exceptions_of("A", [(AT, CorruptedMessage("", "", f"new {n}", 0)) for n in range(5)]))
    exceptional.add(found, exceptions_of("A", [(AT + 1, CorruptedMessage("", "", "0", 0))]))
    assert len(found) == MOST_AT_ONCE
    assert max(seen.events for seen in found.values()) == 2


def test_what_is_exceptional_is_documented_with_why() -> None:
    text = (Path(__file__).resolve().parents[3] / "docs/reference/events.md").read_text(encoding="utf-8")
    documented = {
        (int(number), int(subclass.strip() or 0)): why
        for number, subclasses, why in re.findall(r"^\| (\d+) [^|\d]+?([\d, ]*) \| ([^|]+) \|$", text, re.MULTILINE)
        for subclass in subclasses.split(",")
    }
    assert documented == {(number, int(subclass)): why for (number, subclass), why in EXCEPTIONAL.items()}

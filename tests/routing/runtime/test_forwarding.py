"""Forwarding: forwarded fragments, dropped ones with the reason, and the memory that waiting ones take."""

from __future__ import annotations

import tracemalloc
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from routing.adjacent.fragment import (
    UNPROTECTED_BYTES,
    UNSEQUENCED,
    AckRange,
    Fragment,
    read_fragment,
    write_fragment,
)
from routing.common.network_events import ForwardedMessage, ForwardedMessageDropped, ForwardedMessageSent
from routing.dialog.problems import PROBLEMS
from routing.model.address import parse_address
from routing.rules.decision import FORWARDING_DISABLED, NO_PRINCIPAL, NOT_AN_ADDRESS, Drop, Send
from routing.runtime.forwarding import MEGABYTE, NOT_FORWARDED, OVERHEAD_BYTES, Forwarder, ForwarderLimits
from tests.routing.adjacent.wire import HEADER, TARGET
from tests.routing.dialog.joined import Joined, joined_estate, way

PLENTY = 1 << 30
HOUR = 3_600_000
B, C = (Send(parse_address(f"tcp://{host}:4022"), None, "R") for host in "bc")
CONVERSATION, MESSAGE = "c0c0c0c0-0000-4000-8000-000000000001", "a0a0a0a0-0000-4000-8000-000000000002"


def fragment(number: int = 3, body: bytes = b"hello", **changes: Any) -> Fragment:
    """One that differs from others by its number, as messages do."""
    message = changes.pop("message_id", (number + 1).to_bytes(16, "big") if number != 3 else HEADER.message_id)
    return read_fragment(write_fragment(HEADER._replace(sequence=number, message_id=message, **changes), body))


def reasons(forwarder: Forwarder) -> list[int]:
    return [event.reason for event in forwarder.events() if isinstance(event, ForwardedMessageDropped)]


ROW = ForwardedMessage(
    conversation_id=CONVERSATION,
    is_initiator=True,
    to_service_name="//x/Target",
    to_broker_instance=TARGET,
    from_service_name="//x/Initiator",
    from_broker_instance=None,
    adjacent_broker_address="tcp://b:4022",
    message_sequence_number=3,
    message_fragment_number=0,
    hops_remaining=10,
    time_to_live=60_000,
    time_consumed=0,
    message_id=MESSAGE,
)

# ---------------------------------------------------------------- what goes on


def test_a_fragment_goes_on_with_one_hop_less_and_the_time_it_spent_here() -> None:
    forwarder = Forwarder()
    came = fragment(time_consumed=100)
    assert forwarder.forward(came, B, 1_000)
    assert forwarder.waiting() == ("tcp://b:4022",)
    (left,) = forwarder.take("tcp://b:4022", PLENTY, 1_250)
    assert read_fragment(left).header == came.header._replace(hops_remaining=9, time_consumed=350)
    assert left[UNPROTECTED_BYTES:] == came.raw[UNPROTECTED_BYTES:]
    assert forwarder.events() == [ForwardedMessageSent(ROW._replace(hops_remaining=9, time_consumed=350), B.route)]
    assert (len(forwarder), forwarder.size, forwarder.waiting(), forwarder.next_timer()) == (0, 0, (), None)
    assert forwarder.take("tcp://b:4022", PLENTY, 1_250) == forwarder.events() == []


def test_what_cannot_be_opened_is_passed_on_unread() -> None:
    """Only its target can tell that it is corrupt."""
    raw = bytearray(fragment().raw)
    raw[-1] ^= 1
    forwarder = Forwarder()
    assert forwarder.forward(read_fragment(bytes(raw)), B, 0)
    (left,) = forwarder.take("tcp://b:4022", PLENTY, 0)
    assert left[UNPROTECTED_BYTES:] == raw[UNPROTECTED_BYTES:]


def test_each_next_hop_gets_its_own_in_the_order_in_which_it_came() -> None:
    forwarder = Forwarder()
    for number in range(6):
        forwarder.forward(fragment(number), (B, C)[number % 2], number)
    assert forwarder.waiting() == ("tcp://b:4022", "tcp://c:4022")
    assert [read_fragment(raw).header.sequence for raw in forwarder.take("tcp://c:4022", PLENTY, 9)] == [1, 3, 5]
    assert [read_fragment(raw).header.sequence for raw in forwarder.take("tcp://b:4022", PLENTY, 9)] == [0, 2, 4]


def test_as_many_as_fit_are_taken() -> None:
    forwarder = Forwarder()
    size = len(fragment().raw)
    for number in range(4):
        forwarder.forward(fragment(number), B, 0)
    assert forwarder.take("tcp://b:4022", size - 1, 0) == []
    assert len(forwarder.take("tcp://b:4022", size, 0)) == 1
    assert len(forwarder.take("tcp://b:4022", 3 * size - 1, 0)) == 2
    assert len(forwarder) == 1


def test_rows_show_what_waits() -> None:
    forwarder = Forwarder()
    forwarder.forward(fragment(time_consumed=100), B, 1_000)
    assert list(forwarder.rows(1_050)) == [ROW._replace(time_consumed=150)]


def test_a_clock_that_was_set_back_gives_no_time_back() -> None:
    forwarder = Forwarder()
    forwarder.forward(fragment(time_consumed=100), B, 5_000)
    (left,) = forwarder.take("tcp://b:4022", PLENTY, 1_000)
    assert read_fragment(left).header.time_consumed == 100


# ---------------------------------------------------------------- what does not


@pytest.mark.parametrize(
    ("reason", "number"), [(FORWARDING_DISABLED, 9792), (NOT_AN_ADDRESS, 11294), (NO_PRINCIPAL, 28017)]
)
def test_what_routing_drops_is_told(reason: str, number: int) -> None:
    forwarder = Forwarder()
    assert not forwarder.forward(fragment(), Drop("a", reason), 0)
    assert forwarder.events() == [ForwardedMessageDropped(ROW._replace(adjacent_broker_address=""), number)]
    assert len(forwarder) == 0


def test_without_a_hop_left_nothing_goes_on() -> None:
    """LOOP-1."""
    forwarder = Forwarder()
    assert not forwarder.forward(fragment(hops_remaining=0), B, 0)
    assert forwarder.events() == [ForwardedMessageDropped(ROW._replace(hops_remaining=0), 11285, B.route)]
    assert forwarder.forward(fragment(hops_remaining=1), B, 0)
    (left,) = forwarder.take("tcp://b:4022", PLENTY, 0)
    assert read_fragment(left).header.hops_remaining == 0


@pytest.mark.parametrize("consumed", [60_000, 60_001, (1 << 32) - 1])
def test_what_came_after_its_time_is_dropped(consumed: int) -> None:
    forwarder = Forwarder()
    assert not forwarder.forward(fragment(time_consumed=consumed), B, 0)
    assert reasons(forwarder) == [11291]


def test_hops_are_looked_at_before_time() -> None:
    forwarder = Forwarder()
    forwarder.forward(fragment(hops_remaining=0, time_consumed=60_000), B, 0)
    assert reasons(forwarder) == [11285]


def test_what_is_not_taken_in_its_time_is_dropped() -> None:
    forwarder = Forwarder()
    forwarder.forward(fragment(1, time_consumed=50_000), B, 0)
    forwarder.forward(fragment(2), B, 0)
    assert forwarder.next_timer() == 10_000
    forwarder.handle_timer(9_999)
    assert (reasons(forwarder), len(forwarder)) == ([], 2)
    forwarder.handle_timer(10_000)
    assert (reasons(forwarder), len(forwarder), forwarder.next_timer()) == ([11290], 1, 60_000)
    assert forwarder.take("tcp://b:4022", PLENTY, 60_000) == []
    assert (reasons(forwarder), forwarder.waiting()) == ([11290], ())


def test_nothing_is_held_longer_than_it_takes_to_send_it_again() -> None:
    forwarder = Forwarder()
    forwarder.forward(fragment(time_to_live=49 * 24 * HOUR), B, 0)
    assert forwarder.next_timer() == 64_000
    forwarder = Forwarder(ForwarderLimits(wait_ms=100))
    forwarder.forward(fragment(), B, 0)
    forwarder.handle_timer(100)
    assert reasons(forwarder) == [11290]


def test_a_duplicate_of_what_waits_is_dropped_wherever_it_would_go() -> None:
    forwarder = Forwarder()
    assert forwarder.forward(fragment(), B, 0)
    assert not forwarder.forward(fragment(), B, 0)
    assert not forwarder.forward(fragment(time_consumed=5, acknowledged=(AckRange(0, 0, 1, 0),)), C, 0)
    assert reasons(forwarder) == [11288, 11288]


@pytest.mark.parametrize(
    "other",
    [
        {"conversation_id": b"x" * 16},
        {"message_id": b"x" * 16},
        {"flags": 0},
        {"fragment": 1, "fragments": 2},
        {"flags": UNSEQUENCED, "number": 0, "body": b"", "acknowledged": (AckRange(0, 0, 1, 0),)},
    ],
)
def test_what_is_no_duplicate_goes_on(other: dict[str, Any]) -> None:
    forwarder = Forwarder()
    assert forwarder.forward(fragment(), B, 0)
    assert forwarder.forward(fragment(**other), B, 0)


def test_once_it_has_left_the_same_may_be_sent_again() -> None:
    forwarder = Forwarder()
    for _ in range(3):
        assert forwarder.forward(fragment(), B, 0)
        assert len(forwarder.take("tcp://b:4022", PLENTY, 0)) == 1


def test_a_deadline_of_a_copy_that_has_left_does_not_end_the_next() -> None:
    forwarder = Forwarder()
    forwarder.forward(fragment(), B, 0)
    forwarder.take("tcp://b:4022", PLENTY, 0)
    forwarder.forward(fragment(), B, 1_000)
    assert forwarder.next_timer() == 61_000


def test_what_waits_is_abandoned() -> None:
    forwarder = Forwarder()
    for number in range(4):
        forwarder.forward(fragment(number), (B, C)[number % 2], 0)
    forwarder.abandon(5)
    assert (reasons(forwarder), forwarder.waiting(), forwarder.size) == ([9792] * 4, (), 0)


def test_every_reason_is_a_problem_of_the_product() -> None:
    assert {*NOT_FORWARDED.values(), 11285, 11288, 11289, 11290, 11291} <= PROBLEMS.keys()


def test_what_waits_when_forwarding_is_switched_off_goes_no_further() -> None:
    """CHOOSE-FWD also drops fragments that arrived before."""
    away = {"name": "To", "remote_service_name": "To", "address": "tcp://b"}
    world = Joined(joined_estate(one={"routes": [way("To", "c")]}, msdb_c={"routes": [away]}, c={"forwarding": True}))
    world.send(world.begin(), b"hello")
    world.collect()
    world.carry()
    forwarder = world.brokers["c"].forwarder
    assert len(forwarder) == 1
    world.brokers["c"].change_estate(joined_estate(c={"forwarding": False}))
    world.settle()
    assert len(forwarder) == 0
    assert [event.reason for event in world.reported("c", 140)] == [9792]
    assert world.received() == []


# ---------------------------------------------------------------- memory


def fill(forwarder: Forwarder, to: Send, numbers: range) -> int:
    return sum(forwarder.forward(fragment(number, b"x" * 1000), to, 0) for number in numbers)


def test_the_limit_is_that_of_the_product() -> None:
    assert ForwarderLimits() == ForwarderLimits(memory_bytes=10 * MEGABYTE, wait_ms=64_000)


def test_at_the_limit_a_fragment_is_dropped_and_what_is_held_stays() -> None:
    size = len(fragment().raw) + OVERHEAD_BYTES
    forwarder = Forwarder(ForwarderLimits(memory_bytes=2 * size))
    assert forwarder.forward(fragment(1), B, 0)
    assert not forwarder.forward(fragment(2), B, 0)
    assert reasons(forwarder) == [11289]
    assert forwarder.forward(fragment(3), C, 0)
    assert not forwarder.forward(fragment(4), Send(parse_address("tcp://d:4022"), None, "R"), 0)
    assert forwarder.size == 2 * size
    assert [len(forwarder.take(address, PLENTY, 0)) for address in forwarder.waiting()] == [1, 1]


def test_a_next_hop_that_is_away_leaves_room_for_the_others() -> None:
    """As much is free as it holds; with two that are away, as much as each of them holds."""
    forwarder = Forwarder(ForwarderLimits(MEGABYTE))
    fill(forwarder, B, range(10, 2_000))
    assert forwarder.size == pytest.approx(MEGABYTE / 2, rel=0.01)
    fill(forwarder, C, range(2_000, 4_000))
    assert forwarder.size == pytest.approx(MEGABYTE * 3 / 4, rel=0.01)
    assert forwarder.forward(fragment(5), Send(parse_address("tcp://d:4022"), None, "R"), 0)


def test_what_is_outlived_makes_room_at_once() -> None:
    size = len(fragment().raw) + OVERHEAD_BYTES
    forwarder = Forwarder(ForwarderLimits(size))
    assert forwarder.forward(fragment(1), B, 0)
    assert not forwarder.forward(fragment(2), B, 59_999)
    assert forwarder.forward(fragment(2), B, 60_000)
    assert reasons(forwarder) == [11289, 11290]


@pytest.mark.slow
@pytest.mark.parametrize("size", [1, 2_000])
def test_what_is_counted_is_not_less_than_what_it_takes(size: int) -> None:
    """Ten thousand fragments, each from bytes of its own, as they come from a network."""
    raws = [fragment(number, b"x" * size).raw for number in range(10, 10_010)]
    forwarder = Forwarder(ForwarderLimits(PLENTY))
    tracemalloc.start()
    for raw in raws:
        forwarder.forward(read_fragment(bytes(bytearray(raw))), B, 0)
    taken = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    assert len(forwarder) == 10_000
    assert taken <= forwarder.size


# ---------------------------------------------------------------- all of it


@settings(max_examples=150)
@given(st.data())
def test_every_fragment_leaves_once_or_is_dropped_once(data: st.DataObject) -> None:
    forwarder = Forwarder(ForwarderLimits(data.draw(st.sampled_from([1, 3_000, 6_000, PLENTY]))))
    now, came, left, reported = 0, 0, 0, 0
    for _ in range(data.draw(st.integers(1, 40))):
        now += data.draw(st.sampled_from([0, 1, 1_000, 20_000]))
        to = data.draw(st.sampled_from([B, C]))
        draw = data.draw(st.integers(0, 9))
        if draw < 6:
            number = data.draw(st.integers(0, 5))
            consumed = data.draw(st.sampled_from([0, 59_000, 60_000]))
            came += 1
            forwarder.handle_timer(now)
            before = len(forwarder)
            given = fragment(number, hops_remaining=data.draw(st.integers(0, 2)), time_consumed=consumed)
            assert forwarder.forward(given, to, now) == (len(forwarder) == before + 1)
        elif draw < 9:
            taken = forwarder.take(to.address.key, data.draw(st.sampled_from([0, 200, PLENTY])), now)
            left += len(taken)
            for raw in taken:
                header = read_fragment(raw).header
                assert header.time_consumed < header.time_to_live
                assert header.hops_remaining < 2
        else:
            forwarder.abandon(now)
        events = forwarder.events()
        reported += len(events)
        assert forwarder.size <= forwarder.limits.memory_bytes
        assert forwarder.size == sum(len(h.fragment.raw) + OVERHEAD_BYTES for h in forwarder._held.values())
        assert came == reported + len(forwarder)
        assert {row.adjacent_broker_address for row in forwarder.rows(now)} == set(forwarder.waiting())
        due = forwarder.next_timer()
        assert (due is None) == (len(forwarder) == 0)
    forwarder.handle_timer(now + HOUR)
    assert len(forwarder) == forwarder.size == 0
    assert came == reported + len(forwarder.events())
    assert left <= came

"""What simulated worlds have found, told again in a few steps."""

from __future__ import annotations

import pytest

from routing.dialog.end_conversation import end_with_cleanup
from routing.dialog.fragmentation import MAX_FRAGMENTS_PER_MESSAGE, position
from routing.dialog.messages import OutboundMessage
from routing.dialog.ranges import RangeSet
from routing.dialog.send_window import next_fragments
from routing.dialog.settings import DialogSettings
from routing.dialog.transmission import LargeMessage, Transmission
from tests.routing.dialog.joined import Joined, Parcel, carried, joined_estate
from tests.routing.dialog.local import CONTRACTS, DAY

SECOND = 1000


def test_fragments_that_were_acknowledged_one_by_one_are_a_message_that_has_arrived() -> None:
    """A side that has ended discards fragments, so it never knows when a message of several fragments is whole."""
    world = Joined(settings=DialogSettings(fragment_bytes=10))
    handle, target = world.open()
    world.end(target)
    lost = [(1, 1)]

    def fate(parcel: Parcel) -> list[bytes]:
        if parcel.source == "b" and not parcel.is_acknowledgement:
            return []  # that it has ended
        if parcel.number in lost:
            lost.remove(parcel.number)
            return []
        return [parcel.raw]

    world.fate = fate
    world.send(handle, b"x" * 20)
    world.settle()
    assert world.there(handle).outgoing == 1
    world.later(5 * SECOND)
    assert (lost, world.there(handle).outgoing) == ([], 0)


def test_fragments_that_were_acknowledged_in_another_life_are_too() -> None:
    """The sender has forgotten into how many fragments its message was cut; the account of the side that has ended says
    when all have arrived."""
    world = Joined(settings=DialogSettings(fragment_bytes=10))
    handle, target = world.open()
    world.end(target)
    late: list[Parcel] = []

    def fate(parcel: Parcel) -> list[bytes]:
        if parcel.source == "b":
            late.extend([parcel] if parcel.is_acknowledgement else [])
            return []
        return [parcel.raw] if len(late) == parcel.number[1] else []

    world.fate = fate
    world.send(handle, b"x" * 20)
    world.settle()
    world.later(5 * SECOND)
    ends = [[one[2:] for one in parcel.read.header.acknowledged] for parcel in late]
    assert ends == [[(1, 0)], [(1, MAX_FRAGMENTS_PER_MESSAGE - 1)]]
    world.restart("a")
    world.brokers["a"].receive([parcel.raw for parcel in late], world.now)
    assert world.there(handle).outgoing == 0


def test_what_is_held_before_its_turn_is_due_once_when_its_queue_is_on_again() -> None:
    world = Joined()
    handle, _ = world.open()
    world.fate = lambda parcel: [] if parcel.number == (1, 0) else [parcel.raw]
    world.send(handle, b"1", b"2")
    world.settle()
    world.switch(on=False)
    world.switch(on=True)
    world.settle()
    due = world.brokers["b"].next_timer()
    assert due is None or due > world.now


def test_a_window_that_has_become_smaller_lets_nothing_more_out() -> None:
    world = Joined()
    handle, _ = world.open()
    world.fate = lambda parcel: []
    world.send(handle, *[b"x"] * 10)
    world.settle()
    world.settings = DialogSettings(window=3)
    world.restart("a")
    world.send(handle, b"y")
    sent = len(world.passed)
    world.settle()
    assert len(world.passed) == sent
    world.later(5 * SECOND)
    assert [parcel.number[0] for parcel in world.passed[sent:]] == [1, 2, 3]


def test_a_first_message_that_is_refused_leaves_what_was_acknowledged_before() -> None:
    """It comes again, and makes another error, until its sender knows."""
    world = Joined()
    handle = world.begin("C")
    world.fate = lambda parcel: [parcel.raw] if parcel.number == (1, 0) else []
    for body in (b"not XML", b"<m/>", b"<m/>"):
        world.send(handle, body, message_type="Xml")
        world.settle()
    first = world.target(handle)
    assert first is not None
    assert (first.state, first.held) == ("SI", 1)
    world.fate = lambda parcel: [parcel.raw] if parcel.source == "a" else []
    world.later(5 * SECOND)
    again = world.target(handle)
    assert again is not None
    assert (again.conversation_handle, again.state, again.held) == (first.conversation_handle, "SI", 2)
    world.fate = carried
    world.later(20 * SECOND)
    assert world.received("one") == ["ERROR"]


def test_a_first_message_of_several_fragments_that_is_refused_is_never_acknowledged_whole() -> None:
    """Else the sender would send the missing fragments to a target that has forgotten the others, as delivered."""
    world = Joined(settings=DialogSettings(fragment_bytes=10))
    handle = world.begin("C")
    world.fate = lambda parcel: [parcel.raw] if parcel.number != (0, 2) else []
    world.send(handle, b"this is no XML at all, is it", message_type="Xml")
    world.settle()
    world.fate = lambda parcel: [parcel.raw] if parcel.source == "a" else []
    for _ in range(3):
        world.later(20 * SECOND)
        target = world.target(handle)
        assert target is not None
        assert (target.state, target.held, target.held_bytes) == ("SI", 2, 20)
    assert world.there(handle).state == "CO"
    world.fate = carried
    world.later(70 * SECOND)
    assert (world.there(handle).state, world.received("one")) == ("ER", ["ERROR"])


LATER = [(b"<m>", 10), (b"<m>and this has several fragments", 10), (b"<m>and this has several fragments", 1000)]
"""Invalid ones, with the size of a fragment."""


@pytest.mark.parametrize(("body", "fragment_bytes"), LATER)
def test_what_will_be_refused_is_not_acknowledged_before_its_turn(body: bytes, fragment_bytes: int) -> None:
    """A message that is dropped after its acknowledgement leaves its sender without the error (DLG-UNSEQ)."""
    world = Joined(settings=DialogSettings(fragment_bytes=fragment_bytes))
    handle, target = world.open("C")
    world.fate = lambda parcel: [parcel.raw] if parcel.number != (1, 0) else []
    for each in (b"<m/>", body, b"<m/>"):
        world.send(handle, each, message_type="Xml")
        world.settle()
    kept = len(body) // fragment_bytes  # all parts but the one that makes it whole
    assert world.there(target).held == 1 + kept
    world.fate = lambda parcel: [parcel.raw] if parcel.source == "a" else []
    world.later(10 * SECOND)
    assert world.received() == ["ERROR", "<m/>"]
    world.end(target)
    world.later(200 * SECOND)
    assert (world.there(handle).state, world.there(handle).outgoing) == ("CO", 3)
    world.fate = carried
    world.later(70 * SECOND)
    assert (world.there(handle).state, world.received("one")) == ("ER", ["ERROR"])


@pytest.mark.parametrize(("body", "fragment_bytes"), LATER)
def test_nor_is_it_while_its_queue_is_off(body: bytes, fragment_bytes: int) -> None:
    world = Joined(settings=DialogSettings(fragment_bytes=fragment_bytes))
    handle, target = world.open("C")
    world.switch(on=False)
    world.send(handle, body, message_type="Xml")
    world.settle()
    world.later(20 * SECOND)
    assert (world.there(target).held, world.there(handle).outgoing) == (len(body) // fragment_bytes, 1)
    world.switch(on=True)
    world.fate = lambda parcel: [parcel.raw] if parcel.source == "a" else []
    world.later(70 * SECOND)
    assert (world.received(), world.there(handle).state) == (["ERROR"], "CO")
    world.fate = carried
    world.later(70 * SECOND)
    assert (world.there(handle).state, world.received("one")) == ("ER", ["ERROR"])


@pytest.mark.parametrize("fragment_bytes", [10, 1000])
def test_what_was_found_valid_and_acknowledged_stays_so(fragment_bytes: int) -> None:
    """Message types may change while it is held."""
    world = Joined(settings=DialogSettings(fragment_bytes=fragment_bytes))
    handle, _ = world.open("C")
    world.switch(on=False)
    world.send(handle, b"anything goes here", message_type="Ask")
    world.settle()
    stricter = CONTRACTS | {"message_types": [{"name": "Ask", "validation": "EMPTY"}]}
    world.brokers["b"].change_estate(joined_estate(two=stricter))
    world.switch(on=True)
    world.settle()
    assert world.received() == ["anything goes here"]


def test_what_is_not_kept_makes_no_endpoint() -> None:
    world = Joined()
    handle = world.begin("C")
    world.fate = lambda parcel: [parcel.raw] if parcel.number == (1, 0) else []
    for _ in range(2):
        world.send(handle, b"no XML", message_type="Xml")
        world.settle()
    assert world.target(handle) is None
    assert [event.reason for event in world.reported("b", 160)] == [9704]


def test_who_has_only_what_follows_a_first_message_that_will_not_come_says_so() -> None:
    """Fragments on their way when the target ends WITH CLEANUP create another one, which nothing ever completes."""
    world = Joined()
    handle = world.begin()
    world.send(handle, b"0", b"1", b"2")
    world.fate = lambda parcel: [parcel.raw] if parcel.number == (0, 0) and parcel.source == "a" else []
    _, second, _ = world.collect()
    world.carry()
    (message,) = world.receive()
    world.on(end_with_cleanup, message.conversation_handle)
    world.brokers["b"].receive([second.raw], world.now)
    world.fate = carried
    world.settle()
    stray = world.target(handle)
    assert stray is not None
    assert (stray.state, stray.held, world.there(handle).state) == ("SI", 1, "CO")
    world.later(5 * SECOND)
    assert (world.there(handle).state, world.received("one"), world.received()) == ("ER", ["ERROR"], [])
    world.end(handle)
    world.later(DAY)
    assert world.stores["b"].next_due() is None


def test_the_rest_of_a_message_may_be_acknowledged_before_it_is_sent_again() -> None:
    """Then nothing of it is left to send, and it is not claimed again and again at the same moment."""
    world = Joined(settings=DialogSettings(fragment_bytes=10))
    handle = world.begin()
    world.send(handle, b"x" * 40)
    endpoint = world.there(handle).copied()
    # Fragments 0 and 1 were sent again; 2 and 3 came to be acknowledged, of the time before.
    transmission = Transmission(handle, RangeSet(((2, 3),)), large={0: LargeMessage(2, 4)})
    row = OutboundMessage(handle, 0, "DEFAULT", b"x" * 40, world.now)
    assert list(next_fragments(endpoint, transmission, [row], 10, 100)) == []
    assert (endpoint.sending_sequence, transmission.large[0].sent) == (1, 4)


def test_a_flushed_transmission_object_knows_what_its_endpoint_knows() -> None:
    """TOB-2: acknowledgements since the flush are durable in the endpoint alone; a crash loses no others."""
    world = Joined(settings=DialogSettings(fragment_bytes=10))
    handle = world.begin()
    flushed = Transmission(handle, RangeSet(((0, position(1, 0) - 1),)), RangeSet(((1, 2),)), {0: LargeMessage(2, 2)})
    copy = flushed.copied(acknowledged_sequence=3)
    assert copy.acknowledged == RangeSet(((0, position(3, 0) - 1),))
    assert (copy.large, copy.sent) == ({}, flushed.sent)
    assert flushed.acknowledged == RangeSet(((0, position(1, 0) - 1),))
    assert Transmission(handle, RangeSet(((0, position(9, 0)),))).copied(3).acknowledged.covers(0, position(9, 0))

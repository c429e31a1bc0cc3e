"""What a sender does until its messages are acknowledged: it keeps them, sends them again, and not all at once."""

from __future__ import annotations

from itertools import pairwise

import pytest

from routing.adjacent.fragment import (
    BEGUN,
    INITIATOR,
    AckRange,
    Header,
    write_fragment,
)
from routing.adjacent.fragment_names import FragmentNames
from routing.common.identifier import identifier_bytes
from routing.common.retry import FIRST_MS, JITTER_DIVISOR
from routing.dialog.batch import MAX_OUTGOING_PER_CLAIM
from routing.dialog.settings import DialogSettings
from routing.model.edits import SetHopLimit
from routing.model.estate import Estate
from tests.routing.dialog.joined import Joined, Parcel, carried, joined_estate, way
from tests.routing.dialog.local import ONE, SECOND, TWO


def lost(parcel: Parcel) -> list[bytes]:
    return []


def without_acknowledgements(parcel: Parcel) -> list[bytes]:
    return [] if parcel.is_acknowledgement else [parcel.raw]


def all_in_one() -> Estate:
    """The target's service in the initiator's database."""
    services = [{"name": "From", "queue": "FromQ"}, {"name": "To", "queue": "ToQ", "contracts": ["DEFAULT"]}]
    return joined_estate(one={"services": services, "routes": [{"name": "here", "address": "LOCAL"}]})


def test_a_message_waits_in_the_transmission_queue_until_it_is_acknowledged() -> None:
    """NET-2, ACK-3, ACK-5."""
    world = Joined()
    handle = world.begin()
    world.send(handle, b"x")
    assert (world.there(handle).outgoing, world.there(handle).transmitted) == (1, 0)
    world.collect()
    assert (world.there(handle).outgoing, world.there(handle).transmitted) == (1, 1)
    world.carry()
    assert world.there(handle).outgoing == 1
    world.collect()
    world.carry()
    assert world.there(handle).outgoing == 0
    assert world.there(handle).next_attempt is None
    assert world.received() == ["x"]


def test_nothing_leaves_before_the_commit_of_the_send() -> None:
    world = Joined()
    handle = world.begin()
    world.send(handle)
    assert world.brokers["a"].frames_to_send(world.now) == []


def test_the_header_says_whom_from_whom_and_how_far() -> None:
    world = Joined()
    handle = world.begin(to_broker_instance=TWO, lifetime_s=60)
    world.send(handle, b"x")
    world.now += 1
    (parcel,) = world.collect()
    header = parcel.read.header
    assert header.names == ("To", "From", "DEFAULT", "DEFAULT", TWO, ONE)
    assert (header.sequence, header.fragment, header.fragments) == (0, 0, 1)
    assert (header.flags, header.hops_remaining, header.time_consumed) == (INITIATOR, 10, 0)
    assert header.time_to_live == 60 * SECOND - 1
    assert header.acknowledged == ()


def test_a_message_keeps_its_id_and_no_other_has_it() -> None:
    world = Joined()
    world.fate = lost
    one, other = world.begin(), world.begin()
    for handle in (one, other):
        world.send(handle, b"x", b"y")
    world.later(0)
    world.later(5 * SECOND)
    ids: dict[tuple[bytes, int], set[bytes]] = {}
    for parcel in world.passed:
        header = parcel.read.header
        ids.setdefault((header.conversation_id, header.sequence), set()).add(header.message_id)
    assert len(world.passed) == 8
    assert [len(found) for found in ids.values()] == [1] * 4
    assert len(set.union(*ids.values())) == 4


def test_both_sides_of_a_conversation_have_message_ids_of_their_own() -> None:
    world = Joined()
    _, target = world.open()
    world.send(target, b"first back")
    world.settle()
    there, back = (parcel.read.header for parcel in world.passed if parcel.read.header.is_sequenced)
    assert there.sequence == back.sequence == 0
    assert there.message_id != back.message_id


def test_it_is_sent_again_after_4_8_16_32_and_then_every_64_seconds() -> None:
    """ACK-3: and up to an eighth longer."""
    world = Joined()
    world.fate = lost
    handle = world.begin()
    world.send(handle)
    moments = []
    for _ in range(8):
        world.settle()
        moments.append(world.now)
        assert len(world.passed) == len(moments)
        due = world.there(handle).due
        assert due is not None
        world.later(due - world.now - 1)
        assert len(world.passed) == len(moments)
        world.now = due
    waits = [(later - sooner) / SECOND for sooner, later in pairwise(moments)]
    for seconds, least in zip(waits, (4, 8, 16, 32, 64, 64, 64), strict=True):
        assert least <= seconds < least * (JITTER_DIVISOR + 1) / JITTER_DIVISOR


def test_after_an_acknowledgement_the_waiting_begins_anew() -> None:
    world = Joined()
    world.fate = lost
    handle = world.begin()
    world.send(handle)
    world.later(0)
    for _ in range(4):
        world.later(70 * SECOND)
    assert world.there(handle).attempts == 4
    world.fate = carried
    world.later(70 * SECOND)
    assert world.there(handle).attempts == 0
    world.fate = lost
    world.send(handle)
    world.settle()
    due = world.there(handle).due
    assert due is not None
    assert FIRST_MS <= due - world.now < FIRST_MS * (JITTER_DIVISOR + 1) // JITTER_DIVISOR


def test_what_was_lost_is_delivered_once_and_in_order() -> None:
    """DLG-EOIO, ACK-4."""
    world = Joined()
    world.fate = without_acknowledgements
    handle = world.begin()
    world.send(handle, b"a", b"b", b"c")
    world.settle()
    for _ in range(3):
        world.later(70 * SECOND)
    world.fate = carried
    world.later(70 * SECOND)
    assert world.there(handle).outgoing == 0
    assert world.received() == ["a", "b", "c"]


def test_only_what_is_lost_is_sent_again() -> None:
    """FRAG-1."""
    world = Joined(settings=DialogSettings(fragment_bytes=10))
    handle = world.begin()
    world.send(handle, bytes(range(100)), b"small")
    world.fate = lambda parcel: [] if parcel.number in {(0, 3), (0, 7)} else [parcel.raw]
    world.settle()
    assert world.received() == []
    world.fate = carried
    sent = len(world.passed)
    world.later(5 * SECOND)
    again = [parcel.number for parcel in world.passed[sent:] if parcel.source == "a"]
    assert again == [(0, 3), (0, 7)]
    large, small = world.receive()
    assert (large.message_body, small.message_body) == (bytes(range(100)), b"small")


def test_a_small_message_goes_between_the_fragments_of_a_large_one() -> None:
    """FRAG-2."""
    world = Joined(settings=DialogSettings(fragment_bytes=10))
    handle = world.begin()
    world.send(handle, bytes(40), b"small", bytes(20))
    numbers = [parcel.number for parcel in world.collect()]
    assert numbers == [(0, 0), (1, 0), (2, 0), (0, 1), (2, 1), (0, 2), (0, 3)]


def test_no_more_than_a_window_is_on_its_way() -> None:
    world = Joined(settings=DialogSettings(fragment_bytes=10, window=5))
    handle = world.begin()
    world.send(handle, bytes(30), *[b"%d" % number for number in range(10)])
    assert len(world.collect()) == 5
    assert world.collect() == []
    world.send(handle, b"more")
    assert world.collect() == []
    world.carry()
    world.collect()
    assert len([parcel for parcel in world.under_way if parcel.is_acknowledgement]) == 1
    world.carry()
    assert len(world.collect()) == 5
    world.settle()
    assert len(world.receive()) == 12


def test_a_long_transmission_queue_is_sent_in_parts() -> None:
    world = Joined()
    handle = world.begin()
    bodies = [b"%d" % number for number in range(3 * MAX_OUTGOING_PER_CLAIM + 1)]
    world.send(handle, *bodies)
    world.settle()
    assert [message.message_body for message in world.receive()] == bodies
    assert world.there(handle).outgoing == 0


def test_with_a_full_window_lost_it_is_all_sent_again() -> None:
    world = Joined(settings=DialogSettings(window=3))
    handle = world.begin()
    world.send(handle, *[b"%d" % number for number in range(7)])
    world.fate = lost
    world.later(0)
    world.fate = carried
    world.later(5 * SECOND)
    assert world.received() == [str(number) for number in range(7)]


def test_an_acknowledgement_that_comes_late_or_twice_changes_nothing() -> None:
    world = Joined()
    handle, _ = world.open()
    (late,) = [parcel for parcel in world.passed if parcel.is_acknowledgement]
    world.send(handle, b"second")
    world.collect()
    world.under_way.append(late)
    world.under_way.append(late)
    world.carry()
    assert world.there(handle).outgoing == 1
    world.settle()
    assert world.received() == ["second"]


def test_an_acknowledgement_of_what_was_not_sent_is_not_taken() -> None:
    """28010: the first of two lives of the same conversation answers the second."""
    world = Joined()
    handle = world.begin()
    world.send(handle, b"x")
    twin = Joined()  # by the same seed the same conversation
    other = twin.begin()
    twin.send(other, b"x", b"y")
    twin.settle()
    world.collect()
    world.under_way = [parcel for parcel in twin.passed if parcel.is_acknowledgement]
    world.carry()
    (event,) = world.reported("a", 160)
    assert event.reason == 28010
    endpoint = world.there(handle)
    assert (endpoint.outgoing, endpoint.far_broker_instance) == (1, None)
    world.later(5 * SECOND)
    assert world.received() == ["x"]
    assert world.there(handle).outgoing == 0


def test_the_first_acknowledgement_pins_the_target() -> None:
    """RT-PIN."""
    world = Joined()
    handle = world.begin()
    world.send(handle)
    world.collect()
    assert world.passed[-1].read.header.names.to_broker_instance is None
    world.settle()
    assert world.there(handle).far_broker_instance == TWO
    world.send(handle)
    world.settle()
    assert [p.read.header.names.to_broker_instance for p in world.passed if p.source == "a"] == [None, TWO]


def test_an_acknowledgement_rides_on_what_goes_back() -> None:
    """ACK-1."""
    world = Joined()
    handle, target = world.open()
    world.send(handle, b"more")
    world.settle()
    world.send(target, b"reply one", b"reply two")
    world.settle()
    riding = [p.read.header for p in world.passed if p.source == "b" and p.read.header.is_sequenced]
    # The first message that is sent in the commit of an arrival carries the acknowledgement.
    assert [header.acknowledged for header in riding] == [(), ()]
    world.send(handle, b"again")
    world.collect()
    world.send(target, b"rides")
    world.carry()
    (frame,) = world.collect()
    assert frame.read.header.acknowledged == (AckRange(0, 0, 2, 2**20 - 1),)
    assert frame.read.header.is_sequenced
    kinds = [event.subclass.name for event in world.reported("b", 149)]
    assert kinds[-1] == "MESSAGE_WITH_ACKNOWLEDGEMENT_SENT"
    world.settle()
    assert "MESSAGE_WITH_ACKNOWLEDGEMENT_RECEIVED" in [event.subclass.name for event in world.reported("a", 149)]
    assert world.there(handle).outgoing == world.there(target).outgoing == 0


def test_it_rides_on_everything_while_the_initiator_may_not_know_its_target() -> None:
    """RT-PIN: it cannot take messages of one that has acknowledged nothing."""
    world = Joined(settings=DialogSettings(fragment_bytes=10))
    handle = world.begin()
    world.send(handle, b"first")
    world.fate = lambda parcel: [] if parcel.is_acknowledgement else [parcel.raw]
    world.collect()
    world.carry()
    target = world.target(handle)
    assert target is not None
    world.send(target.conversation_handle, b"x" * 25, b"reply")
    world.settle()
    riding = [p.read.header for p in world.passed if p.source == "b" and p.read.header.is_sequenced]
    assert [header.acknowledged for header in riding] == [(AckRange(0, 0, 0, 2**20 - 1),)] * 4
    assert (world.there(handle).far_broker_instance, world.received("one")) == (TWO, ["x" * 25, "reply"])


def test_what_comes_from_who_has_acknowledged_nothing_is_left_to_its_sender() -> None:
    """Two targets may have taken the conversation, and what they send must not be mixed."""
    world = Joined()
    handle = world.begin()
    world.send(handle, b"first")
    world.collect()
    world.under_way.clear()
    conversation = identifier_bytes(world.there(handle).conversation_id)
    names = FragmentNames("From", "To", "DEFAULT", "DEFAULT", ONE, TWO)
    reply = Header(conversation, bytes(range(1, 17)), names, 0, 0, 60_000, 10)
    world.brokers["a"].receive([write_fragment(reply, b"who is it?")], world.now)
    world.events += [("a", now, event) for now, event in world.brokers["a"].events()]
    assert ([event.reason for event in world.reported("a", 160)], world.received("one")) == ([11217], [])
    known = reply._replace(acknowledged=(AckRange(0, 0, 0, 2**20 - 1),))
    world.brokers["a"].receive([write_fragment(known, b"it is two")], world.now)
    assert (world.there(handle).far_broker_instance, world.received("one")) == (TWO, ["it is two"])


def test_without_anything_that_goes_back_it_is_dedicated() -> None:
    world = Joined()
    world.open()
    (one,) = [parcel for parcel in world.passed if parcel.source == "b"]
    assert one.is_acknowledgement
    assert one.read.header.acknowledged == (AckRange(0, 0, 0, 2**20 - 1),)
    (event,) = world.reported("b", 149)
    assert (event.subclass.name, event.message_sequence_number) == ("ACKNOWLEDGEMENT_SENT", 0)


def test_the_initiator_says_that_its_first_message_will_not_come_again() -> None:
    world = Joined()
    handle = world.begin()
    world.send(handle)
    world.settle()
    world.send(handle)
    world.settle()
    flags = [parcel.read.header.flags & BEGUN for parcel in world.passed if parcel.source == "a"]
    assert flags == [0, BEGUN]


def test_without_a_route_it_waits_and_is_sent_when_there_is_one() -> None:
    """MATCH-7."""
    world = Joined(joined_estate(one={"routes": []}))
    handle = world.begin()
    world.send(handle)
    world.settle()
    assert (world.there(handle).transmission_status, world.passed) == (9793, [])
    world.brokers["a"].change_estate(joined_estate())
    world.brokers["a"].retry_all(world.now)
    world.settle()
    assert (world.there(handle).transmission_status, world.received()) == (0, ["x"])


def test_a_way_that_becomes_a_local_one_is_taken_in_order() -> None:
    """Frames on their way arrive as duplicates or not at all: the target is another one now."""
    world = Joined()
    world.fate = lost
    handle = world.begin()
    world.send(handle, b"a")
    world.settle()
    world.brokers["a"].change_estate(all_in_one())
    world.send(handle, b"b")
    world.later(70 * SECOND)
    assert world.there(handle).outgoing == 0
    assert world.received("one", queue="ToQ") == ["a", "b"]


def test_a_way_that_becomes_a_local_one_while_a_window_has_room() -> None:
    world = Joined(settings=DialogSettings(window=2))
    world.fate = lost
    handle = world.begin()
    world.send(handle, b"a")
    world.settle()
    world.send(handle, b"b")
    world.brokers["a"].change_estate(all_in_one())
    world.settle()
    assert world.there(handle).outgoing == 0
    assert world.received("one", queue="ToQ") == ["a", "b"]


def test_a_dialog_that_asks_for_encryption_and_has_no_binding_waits() -> None:
    """9727."""
    world = Joined()
    handle = world.begin(encryption=True)
    world.send(handle)
    world.settle()
    assert (world.there(handle).transmission_status, world.passed) == (9727, [])
    world.send(handle)
    for _ in range(3):
        world.later(70 * SECOND)
    assert (world.there(handle).outgoing, world.passed) == (2, [])


@pytest.mark.parametrize("remaining", [0, 1, 9])
def test_hops_are_those_of_the_estate(remaining: int) -> None:
    world = Joined(joined_estate().edited([SetHopLimit(remaining)]))
    handle = world.begin()
    world.send(handle)
    (parcel,) = world.collect()
    assert parcel.read.header.hops_remaining == remaining
    world.settle()
    assert world.received() == ["x"]


def test_a_route_of_a_service_elsewhere_named_by_its_identifier() -> None:
    routes = [way("To", "b", broker_instance=TWO)]
    world = Joined(joined_estate(one={"routes": routes}))
    handle, _ = world.open()
    assert world.there(handle).kept_route == "To_b"


def test_names_as_long_as_an_estate_may_have_them_go_over_the_network() -> None:
    contract, message_type = "C" * 256, "M" * 256
    named = {
        "contracts": [{"name": contract, "messages": [{"message_type": message_type, "sent_by": "ANY"}]}],
        "message_types": [{"name": message_type}],
    }
    to = {"services": [{"name": "To", "queue": "ToQ", "contracts": [contract]}]}
    world = Joined(joined_estate(one=named, two=named | to))
    handle = world.begin(contract)
    world.send(handle, b"x", message_type=message_type)
    world.settle()
    assert (world.received(), world.there(handle).outgoing) == (["x"], 0)

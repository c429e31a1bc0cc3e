"""Transmission objects: when there is one, how large it is, when it is written, and what happens when it is lost."""

from __future__ import annotations

import sys
from typing import Any

import pytest

from routing.dialog.fragmentation import position
from routing.dialog.ranges import EMPTY_RANGES, RangeSet
from routing.dialog.settings import DialogSettings
from routing.dialog.transmission import (
    OBJECT_BYTES,
    LargeMessage,
    Transmission,
    TransmissionCache,
    new_transmission,
)
from tests.routing.dialog.joined import Joined, carried
from tests.routing.dialog.local import SECOND, Local


def transmission(handle: str, ranges: int = 0, large: int = 0) -> Transmission:
    acknowledged = RangeSet((3 * number, 3 * number + 1) for number in range(ranges))
    return Transmission(handle, acknowledged, EMPTY_RANGES, {number: LargeMessage(0, 3) for number in range(large)})


def real_size(one: Any) -> int:
    """What an object and all that is in it takes, each once, as CPython tells."""
    seen: set[int] = set()

    def size(value: Any) -> int:
        if id(value) in seen or value is None or isinstance(value, (bool, type)):
            return 0
        seen.add(id(value))
        total = sys.getsizeof(value) + 16  # the collector's header
        if isinstance(value, (tuple, list)):
            return total + sum(map(size, value))
        if isinstance(value, dict):
            return total + sum(size(key) + size(inner) for key, inner in value.items())
        slots = getattr(type(value), "__slots__", ())
        return total + sum(size(getattr(value, name)) for name in slots)

    return size(one)


def in_memory(world: Joined, host: str, handle: str) -> Transmission:
    found = world.brokers[host].transmissions.get(handle)
    assert found is not None
    return found


# ---------------------------------------------------------------- how large


@pytest.mark.parametrize(("ranges", "large"), [(0, 0), (1, 0), (1, 1), (2, 3), (20, 0), (0, 20)])
def test_the_size_is_about_what_it_takes(ranges: int, large: int) -> None:
    """TOB-1: about 1 KB. The rest of an entry is a place in each of two dictionaries, and a link of an ordered one."""
    one = transmission("01234567-89ab-4def-8123-456789abcdef", ranges, large)
    entry = 200
    real = real_size(one) + entry
    assert 0.8 * one.size < real < 1.25 * one.size


def test_a_usual_one_is_well_below_a_kilobyte() -> None:
    world = Joined()
    handle, _ = world.open()
    one = in_memory(world, "a", handle)
    assert real_size(one) < 1024
    assert OBJECT_BYTES <= one.size < 1024


# ---------------------------------------------------------------- when there is one


def test_a_remote_sender_has_one_from_its_first_message_on() -> None:
    """TOB-1."""
    world = Joined()
    handle = world.begin()
    assert len(world.brokers["a"].transmissions) == 0
    world.send(handle)
    assert len(world.brokers["a"].transmissions) == 0
    world.collect()
    assert len(world.brokers["a"].transmissions) == 1
    world.settle()
    assert len(world.brokers["a"].transmissions) == 1


def test_local_messages_that_go_straight_into_the_queue_use_none() -> None:
    """TOB-3."""
    world = Local()
    handle, target = world.open()
    world.send(handle)
    world.send(target)
    assert len(world.broker.transmissions) == 0


def test_it_goes_with_its_endpoint() -> None:
    world = Joined()
    handle, target = world.open()
    world.end(handle)
    world.settle()
    world.end(target)
    world.settle()
    assert world.state(handle) == ""
    assert len(world.brokers["a"].transmissions) == 0
    assert world.brokers["a"].transmissions.bytes == 0


# ---------------------------------------------------------------- those in memory


def test_what_is_changed_is_modified_until_it_is_flushed() -> None:
    """TOB-2."""
    objects = TransmissionCache(most_bytes=0)
    one = transmission("one")
    objects.put([one])
    assert objects.bytes == one.size
    assert objects.to_flush() == [one]
    objects.flushed([one])
    assert (len(objects), objects.bytes, objects.to_flush()) == (0, 0, [])


def test_while_there_is_room_nothing_is_flushed() -> None:
    objects = TransmissionCache(most_bytes=20 * OBJECT_BYTES)
    objects.put(transmission(str(number)) for number in range(20))
    assert (len(objects), objects.to_flush()) == (20, [])
    objects.flushed([])
    assert len(objects) == 20


def test_those_that_were_changed_longest_ago_go_first_and_as_many_again_are_written() -> None:
    objects = TransmissionCache(most_bytes=10 * OBJECT_BYTES)
    objects.put(transmission(str(number)) for number in range(12))
    objects.put([transmission("0")])  # changed again
    written = objects.to_flush()
    assert [one.conversation_handle for one in written] == ["1", "2", "3", "4"]
    objects.flushed(written)
    assert [handle for handle in map(str, range(12)) if objects.get(handle)] == ["0", *map(str, range(3, 12))]
    objects.put([transmission("new"), transmission("newer")])
    assert objects.to_flush() != []
    objects.flushed([])  # two that were written before
    assert objects.bytes == 10 * OBJECT_BYTES


def test_what_was_changed_while_it_was_written_stays() -> None:
    objects = TransmissionCache(most_bytes=0)
    before, after = transmission("one"), transmission("one", 1)
    objects.put([before])
    written = objects.to_flush()
    objects.put([after])
    objects.flushed(written)
    assert objects.get("one") is after
    assert objects.to_flush() == [after]


def test_forgetting_one_that_is_not_there_is_nothing() -> None:
    objects = TransmissionCache(most_bytes=0)
    objects.forget(["one"])
    assert (len(objects), objects.bytes) == (0, 0)


def test_a_copy_shares_nothing_that_can_be_changed() -> None:
    one = transmission("one", 1, 1)
    copy = one.copied()
    assert copy == one
    copy.large[0].sent = 2
    copy.large[5] = LargeMessage(0, 1)
    assert one == transmission("one", 1, 1)


def test_one_that_was_lost_knows_what_the_endpoint_knows() -> None:
    assert new_transmission("one", 0) == Transmission("one")
    assert new_transmission("one", 3).acknowledged == RangeSet(((0, position(3, 0) - 1),))


# ---------------------------------------------------------------- flushed, read again, lost


def test_with_no_memory_for_them_they_are_read_from_the_work_table() -> None:
    world = Joined(settings=DialogSettings(transmission_bytes=0, fragment_bytes=10))
    handles = [world.begin() for _ in range(5)]
    world.fate = lambda parcel: [] if parcel.number == (0, 2) else [parcel.raw]
    for handle in handles:
        world.send(handle, bytes(50))
    world.settle()
    world.send(world.begin(), b"something else")
    world.settle()
    assert world.stores["a"]._transmissions.keys() >= set(handles)
    assert len(world.brokers["a"].transmissions) <= 1
    world.fate = carried
    sent = len(world.passed)
    world.later(5 * SECOND)
    again = [parcel for parcel in world.passed[sent:] if parcel.source == "a"]
    assert [parcel.number for parcel in again] == [(0, 2)] * 5
    assert len(world.receive()) == 1
    assert all(world.there(handle).outgoing == 0 for handle in handles)


def test_losing_them_costs_only_what_is_sent_again() -> None:
    world = Joined(settings=DialogSettings(fragment_bytes=10))
    handle = world.begin()
    world.fate = lambda parcel: [] if parcel.number == (0, 2) else [parcel.raw]
    world.send(handle, bytes(50), b"small")
    world.settle()
    world.restart("a")
    world.fate = carried
    sent = len(world.passed)
    world.later(5 * SECOND)
    again = [parcel.number for parcel in world.passed[sent:] if parcel.source == "a"]
    assert again == [(0, 0), (1, 0), (0, 1), (0, 2), (0, 3), (0, 4)]
    assert [len(message.message_body or b"") for message in world.receive()] == [50, 5]
    assert world.there(handle).outgoing == 0


def test_losing_them_in_the_middle_of_a_window_sends_on() -> None:
    world = Joined(settings=DialogSettings(window=2))
    handle, _ = world.open()
    world.send(handle, *[b"%d" % number for number in range(9)])
    world.collect()
    world.restart("a")
    for _ in range(3):
        world.settle()
        world.restart("a")
        world.later(70 * SECOND)
    assert world.received() == [str(number) for number in range(9)]


def test_a_conversation_keeps_the_size_of_its_fragments() -> None:
    """A message in flight must not be fragmented otherwise, whatever is set meanwhile."""
    world = Joined(settings=DialogSettings(fragment_bytes=10))
    handle = world.begin()
    world.fate = lambda parcel: [] if parcel.number == (0, 1) else [parcel.raw]
    world.send(handle, bytes(range(30)))
    world.settle()
    world.settings = DialogSettings(fragment_bytes=7)
    world.restart("a")
    world.fate = carried
    world.send(handle, bytes(range(21)))
    world.later(5 * SECOND)
    assert [message.message_body for message in world.receive()] == [bytes(range(30)), bytes(range(21))]
    assert max(parcel.read.header.fragments for parcel in world.passed if parcel.source == "a") == 3
    other = world.begin()
    world.send(other, bytes(21))
    assert [parcel.read.body_size for parcel in world.collect()] == [7, 7, 7]

"""A SEND without a claim leaves what a SEND with a claim leaves: two worlds of one seed, one of each."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from routing.dialog.endpoint import SOON_MS
from routing.dialog.problems import VerbError
from routing.dialog.send import send
from routing.runtime.broker import BYTES_AT_ONCE
from tests.routing.dialog.joined import Joined


def under_way(world: Joined, handle: str) -> None:
    """Its first message waits."""


def acknowledged(world: Joined, handle: str) -> None:
    """The peer has all messages, and the conversation is pinned to it."""
    world.settle()
    world.send(handle, b"pinned")
    world.settle()


def window_full(world: Joined, handle: str) -> None:
    """The peer acknowledges nothing, and no more fragments may leave."""
    acknowledged(world, handle)
    world.fate = lambda _parcel: []
    world.send(handle, *[b"unheard"] * 40)
    world.settle()


def prepared(prepare: Callable[[Joined, str], None]) -> tuple[Joined, str]:
    world = Joined(seed=7)
    handle = world.begin()
    world.send(handle, b"first")
    prepare(world, handle)
    return world, handle


def appended(world: Joined, handle: str, *bodies: bytes, at_once: bool = False) -> bool:
    """Send without a claim; frames that leave at once are on the network. Returns whether they do."""
    broker = world.brokers["a"]
    work = broker.remembered_work(handle, world.now)
    assert work is not None
    for body in bodies:
        send(work, (handle,), "DEFAULT", body)
    outcome = broker.append(work, at_once=at_once)
    assert outcome is not None
    world.give_out("a")
    return outcome.have_left


@pytest.mark.parametrize("at_once", [False, True], ids=["later", "at_once"])
@pytest.mark.parametrize("prepare", [under_way, acknowledged, window_full])
def test_the_endpoint_and_what_arrives_are_the_same(prepare: Callable[[Joined, str], None], at_once: bool) -> None:
    (claiming, handle), (appending, same) = prepared(prepare), prepared(prepare)
    assert handle == same
    for world in (claiming, appending):  # so that the next SEND finds the conversation as its process remembers it
        world.is_quick = at_once
        world.send(handle, b"before")
    claiming.send(handle, b"one", b"two")
    claiming.give_out("a")
    appended(appending, handle, b"one", b"two", at_once=at_once)
    assert appending.there(handle) == claiming.there(handle)
    assert [parcel.raw for parcel in appending.passed] == [parcel.raw for parcel in claiming.passed]
    for world in (claiming, appending):
        world.fate = lambda parcel: [parcel.raw]
        world.now += 60_000
        world.settle()
    found = claiming.received()
    assert found[-3:] == ["before", "one", "two"]
    assert appending.received() == found


def test_messages_leave_with_their_commit_once_the_conversation_was_on_the_network() -> None:
    world, handle = prepared(acknowledged)
    world.send(handle, b"before")
    assert not appended(world, handle, b"one", at_once=True)  # that before waits for a worker
    world.settle()
    for body in (b"two", b"three"):
        passed = len(world.passed)
        assert appended(world, handle, body, at_once=True)
        assert len(world.passed) == passed + 1
    world.settle()
    assert world.received()[-3:] == ["one", "two", "three"]


def test_a_conversation_in_use_keeps_its_place_among_those_that_are_due() -> None:
    """Until the engine looks at it, which then finds nothing to do."""
    world, handle = prepared(acknowledged)
    world.send(handle, b"before")
    world.settle()
    began, seen = world.now, []
    for number in range(3):
        assert appended(world, handle, b"%d" % number, at_once=True)
        seen += [world.there(handle)]
        world.settle()
        seen += [world.there(handle)]
        world.now += 500
    assert [one.outgoing for one in seen] == [1, 0] * 3
    assert {(one.due, one.may_wait) for one in seen} == {(seen[0].due, True)}
    assert seen[0].due is not None
    assert world.now < seen[0].due <= began + SOON_MS
    world.later(SOON_MS)
    idle = world.there(handle)
    assert (idle.due, idle.may_wait) == (idle.first_due(), False)


def test_no_more_leave_than_the_window_has_room_for() -> None:
    world, handle = prepared(window_full)
    world.send(handle, b"before")
    passed = len(world.passed)
    for body in (b"one", b"two"):
        assert not appended(world, handle, body, at_once=True)
    assert len(world.passed) == passed


def test_what_is_lost_on_its_way_is_sent_again() -> None:
    world, handle = prepared(acknowledged)
    world.send(handle, b"before")
    world.settle()
    appended(world, handle, b"one", at_once=True)
    world.settle()
    world.fate = lambda _parcel: []
    assert appended(world, handle, b"lost", at_once=True)
    world.carry()
    world.fate = lambda parcel: [parcel.raw]
    assert appended(world, handle, b"after it", at_once=True)
    world.settle()
    assert world.received()[-1] == "one"
    world.now += 60_000
    world.settle()
    assert world.received()[-2:] == ["lost", "after it"]


def test_a_large_message_is_left_to_a_worker() -> None:
    world, handle = prepared(acknowledged)
    world.send(handle, b"before")
    world.settle()
    assert not appended(world, handle, bytes(world.brokers["a"].settings.fragment_bytes + 1), at_once=True)


def test_messages_leave_with_their_commit_up_to_a_number_of_bytes() -> None:
    world, handle = prepared(acknowledged)
    most = BYTES_AT_ONCE // world.brokers["a"].settings.fragment_bytes
    part = bytes(world.brokers["a"].settings.fragment_bytes)
    assert appended(world, handle, *[part] * most, at_once=True)
    world.settle()
    assert not appended(world, handle, *[part] * most, b"1", at_once=True)
    world.settle()
    assert world.depth() == 2 + 2 * most + 1


def test_a_side_that_has_ended_is_remembered_as_ended() -> None:
    world, handle = prepared(acknowledged)
    world.end(handle)
    with pytest.raises(VerbError):
        appended(world, handle, b"too late")

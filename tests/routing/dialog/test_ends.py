"""A conversation over the network, ended by either side, by both, in every order that the network makes of it."""

from __future__ import annotations

from itertools import permutations, product

import pytest

from routing.dialog.batch import ClaimRequest
from routing.dialog.end_conversation import end_with_cleanup, end_with_error
from routing.dialog.endpoint import REPLAY_MS
from routing.dialog.error_message import read_error
from routing.dialog.problems import VerbError
from routing.dialog.settings import DialogSettings
from tests.routing.dialog.joined import Joined, carried
from tests.routing.dialog.local import DAY, SECOND


def lost(*_: object) -> list[bytes]:
    return []


@pytest.mark.parametrize("first", ["initiator", "target"])
def test_one_side_ends_and_then_the_other(first: str) -> None:
    """DLG-END."""
    world = Joined()
    handle, target = world.open()
    one, other = (handle, target) if first == "initiator" else (target, handle)
    world.send(one, b"last")
    world.end(one)
    assert world.state(one) == "DO"
    world.settle()
    assert (world.state(one), world.state(other)) == ("CD" if first == "target" else "", "DI")
    assert world.received("two" if first == "initiator" else "one") == ["last", "END"]
    with pytest.raises(VerbError, match=r"^8429"):
        world.send(other)
    world.end(other)
    world.settle()
    assert world.state(handle) == ""
    assert world.state(target) == "CD"


def test_both_sides_end_at_the_same_time() -> None:
    world = Joined()
    handle, target = world.open()
    world.send(handle, b"unseen")
    world.send(target, b"unseen")
    world.end(handle, target)
    world.settle()
    assert (world.state(handle), world.state(target)) == ("", "CD")
    assert world.received("one") == world.received("two") == []


@pytest.mark.parametrize("order", list(permutations(range(4))))
def test_an_end_overtakes_no_message(order: tuple[int, ...]) -> None:
    world = Joined()
    handle, target = world.open()
    world.send(handle, b"a", b"b", b"c")
    world.end(handle)
    parcels = world.collect()
    for at in order:
        world.under_way = [parcels[at]]
        world.carry()
    world.settle()
    assert (world.received(), world.state(target), world.state(handle)) == (["a", "b", "c", "END"], "DI", "")


@pytest.mark.parametrize(("ours", "theirs"), list(product(("END", "ERROR"), repeat=2)))
@pytest.mark.parametrize("loses", ["nothing", "what a says", "what b says"])
def test_both_end_in_any_way_and_the_network_loses_the_first_attempt(ours: str, theirs: str, loses: str) -> None:
    world = Joined()
    handle, target = world.open()
    source = {"nothing": "", "what a says": "a", "what b says": "b"}[loses]
    world.fate = lambda parcel: [] if parcel.source == source else [parcel.raw]
    for way, side in ((ours, handle), (theirs, target)):
        if way == "END":
            world.end(side)
        else:
            world.on(end_with_error, side, 5, "enough")
    world.settle()
    world.fate = carried
    for _ in range(4):
        world.later(70 * SECOND)
    assert (world.state(handle), world.state(target)) == ("", "CD")
    assert not world.stores["a"]._outgoing
    assert not world.stores["b"]._outgoing
    world.later(REPLAY_MS)
    assert world.state(target) == ""


def test_an_error_reaches_the_peer_with_code_and_description() -> None:
    world = Joined()
    handle, target = world.open()
    world.on(end_with_error, target, 42, "not today")
    world.settle()
    (error,) = world.receive("one")
    assert read_error(error.message_body or b"") == (42, "not today")
    assert (world.state(handle), world.state(target)) == ("ER", "CD")
    world.end(handle)
    assert world.state(handle) == ""


def test_an_error_takes_the_place_of_what_was_never_sent() -> None:
    world = Joined()
    handle, _ = world.open()
    world.send(handle, b"sent")
    world.collect()
    world.send(handle, b"never sent")
    world.on(end_with_error, handle, 5, "enough")
    world.settle()
    sent, error = sorted(world.receive(), key=lambda message: message.message_sequence_number)
    assert (sent.message_body, error.message_sequence_number) == (b"sent", 2)
    assert read_error(error.message_body or b"") == (5, "enough")


def test_an_error_before_anything_was_sent_tells_nobody() -> None:
    world = Joined()
    handle = world.begin()
    world.send(handle, b"never sent")
    world.on(end_with_error, handle, 5, "enough")
    world.settle()
    assert (world.state(handle), world.passed) == ("", [])


def test_the_peer_of_one_that_was_cleaned_up_learns_it_when_it_speaks() -> None:
    world = Joined()
    handle, target = world.open()
    world.on(end_with_cleanup, target)
    world.send(handle, b"hello?")
    world.settle()
    (error,) = world.receive("one")
    assert (read_error(error.message_body or b"") or (0, ""))[0] == -8462
    assert (world.state(handle), world.there(handle).outgoing) == ("ER", 0)


def test_the_peer_that_ends_towards_one_that_was_cleaned_up_is_through() -> None:
    world = Joined()
    handle, target = world.open()
    world.send(target, b"so that it has begun")
    world.settle()
    world.on(end_with_cleanup, handle)
    world.end(target)
    world.settle()
    assert world.state(target) == "CD"


def test_an_end_whose_acknowledgement_is_lost_is_acknowledged_again() -> None:
    world = Joined()
    handle, target = world.open()
    world.end(handle)
    world.fate = lambda parcel: [] if parcel.is_acknowledgement else [parcel.raw]
    world.settle()
    assert (world.state(handle), world.state(target)) == ("DO", "DI")
    world.end(target)
    world.fate = carried
    world.later(5 * SECOND)
    assert (world.state(handle), world.state(target)) == ("", "CD")


def test_the_end_of_the_lifetime_ends_waiting_for_an_acknowledgement() -> None:
    world = Joined()
    handle, target = world.open(lifetime_s=3600)
    world.fate = lost
    world.end(handle)
    world.end(target)
    world.later(3600 * SECOND)
    assert (world.state(handle), world.state(target)) == ("", "CD")
    world.later(REPLAY_MS)
    assert world.state(target) == ""


def test_a_conversation_that_lasts_for_days() -> None:
    """NET-1."""
    world = Joined()
    handle, target = world.open()
    for day in range(3):
        world.later(DAY)
        world.send(handle, b"%d" % day)
        world.send(target, b"%d" % day)
        world.settle()
    assert world.received("one") == world.received("two") == ["0", "1", "2"]


def test_a_lifetime_that_is_over_before_anything_could_be_sent() -> None:
    world = Joined()
    world.fate = lost
    handle = world.begin(lifetime_s=10)
    world.send(handle, b"x")
    world.later(0)
    world.later(10 * SECOND)
    assert (world.state(handle), world.there(handle).outgoing) == ("ER", 0)
    (error,) = world.receive("one")
    assert (read_error(error.message_body or b"") or (0, ""))[0] == -8489


def test_nothing_is_left_when_both_have_ended() -> None:
    world = Joined()
    handle, target = world.open()
    world.send(handle, b"x")
    world.send(target, b"y")
    world.settle()
    world.end(handle)
    world.settle()
    world.end(target)
    world.settle()
    world.later(REPLAY_MS)
    for host in "ab":
        store = world.stores[host]
        assert not store._endpoints
        assert not store._groups
        assert not store._outgoing
        assert not store._held
        assert not store._transmissions
        assert world.brokers[host].next_timer() is None
        assert len(world.brokers[host].transmissions) == 0
        batch = store.claim(ClaimRequest(), world.now)
        store.release(batch.token)


def test_a_target_that_has_only_a_part_finds_out_that_nothing_more_will_come() -> None:
    """The initiator was removed without a message; the conversation is unknown here, and its fragment would stay."""
    world = Joined(settings=DialogSettings(fragment_bytes=4, window=1))
    handle = world.begin()
    world.send(handle, b"in two parts")
    world.collect()
    world.carry()
    target = world.target(handle)
    assert target is not None
    assert (target.state, target.held) == ("SI", 1)
    world.on(end_with_cleanup, handle)
    world.later(90 * SECOND)
    target = world.there(target.conversation_handle)
    assert (target.state, target.held) == ("CD", 0)
    world.later(REPLAY_MS + 90 * SECOND)
    assert world.endpoint(target.conversation_handle) is None

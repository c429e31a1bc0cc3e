"""Fragments wait at the target until their message is whole and the next one, and its queue is on (NET-2, FRAG-3)."""

from __future__ import annotations

import pytest

from routing.common.retry import LONGEST_MS
from routing.dialog.batch import ClaimRequest
from routing.dialog.messages import DISABLED, READY, FragmentNumber
from routing.dialog.reassembly import bodies_needed, release_ready
from routing.dialog.settings import DialogSettings
from tests.routing.dialog.joined import Joined, Parcel
from tests.routing.dialog.local import SECOND


def test_a_queue_that_is_off_takes_nothing_and_nothing_is_sent_twice() -> None:
    """NET-2: acknowledged, and held in the transmission queue of the receiving database, until the queue is on."""
    world = Joined()
    handle, target = world.open()
    world.switch(on=False)
    world.send(handle, b"a", b"b", b"c")
    world.settle()
    assert (world.depth(), world.there(handle).outgoing) == (0, 0)
    assert (world.there(target).held, world.there(target).receive_sequence) == (3, 1)
    sent = len(world.passed)
    world.later(70 * SECOND)
    assert len(world.passed) == sent
    world.switch(on=True)
    world.settle()
    assert world.received() == ["a", "b", "c"]
    assert (world.there(target).held, world.there(target).held_bytes) == (0, 0)
    assert len(world.passed) == sent


def test_the_first_message_for_a_queue_that_is_off_makes_an_endpoint_all_the_same() -> None:
    world = Joined()
    world.switch(on=False)
    handle = world.begin()
    world.send(handle, b"a", b"b")
    world.settle()
    target = world.target(handle)
    assert target
    assert (target.state, target.held, world.there(handle).outgoing) == ("SI", 2, 0)
    world.switch(on=True)
    world.settle()
    target = world.target(handle)
    assert target
    assert (target.state, world.received()) == ("CO", ["a", "b"])


def test_what_comes_while_it_is_held_comes_after_it() -> None:
    world = Joined()
    handle, _ = world.open()
    world.switch(on=False)
    world.send(handle, b"a")
    world.settle()
    world.send(handle, b"b")
    world.collect()
    world.switch(on=True)
    world.carry()
    world.settle()
    assert world.received() == ["a", "b"]


def test_what_is_held_is_tried_again_by_itself() -> None:
    """Switching the queue on need not be reported to the engine."""
    world = Joined()
    handle, target = world.open()
    world.switch(on=False)
    world.send(handle, b"a")
    world.settle()
    assert world.there(target).due == world.now + LONGEST_MS
    world.later(LONGEST_MS)
    assert world.there(target).held == 1
    world.stores["b"]._off = frozenset()
    world.later(LONGEST_MS)
    assert world.received() == ["a"]


def test_an_end_waits_for_the_queue_too() -> None:
    world = Joined()
    handle, target = world.open()
    world.switch(on=False)
    world.send(handle, b"last")
    world.end(handle)
    world.settle()
    assert (world.state(handle), world.state(target)) == ("", "CO")
    world.switch(on=True)
    world.settle()
    assert (world.received(), world.state(target)) == (["last", "END"], "DI")


def test_parts_are_held_while_the_queue_is_off() -> None:
    world = Joined(settings=DialogSettings(fragment_bytes=4))
    handle, target = world.open()
    world.switch(on=False)
    world.send(handle, b"in several parts", b"x")
    world.settle()
    assert world.there(target).held == 5
    world.switch(on=True)
    world.settle()
    assert world.received() == ["in several parts", "x"]


def test_ending_keeps_the_account_of_what_is_held_and_no_body() -> None:
    """ACK-5: acknowledged fragments stay acknowledged, though they will not be received."""
    world = Joined(settings=DialogSettings(fragment_bytes=4))
    handle, target = world.open()
    world.fate = lambda parcel: [] if parcel.number == (1, 1) else [parcel.raw]
    world.send(handle, b"in several parts")
    world.settle()
    assert world.there(target).held == 3
    world.end(target)
    assert (world.there(target).held, world.there(target).held_bytes) == (3, 0)
    batch = world.stores["b"].claim(ClaimRequest(handles=(target,)), world.now)
    world.stores["b"].release(batch.token)
    assert batch.buffered == {target: tuple(FragmentNumber(1, fragment, 4) for fragment in (0, 2, 3))}


def test_an_ended_side_takes_no_acknowledgement_back_after_a_restart() -> None:
    world = Joined(settings=DialogSettings(fragment_bytes=4))
    handle, target = world.open()
    covered: list[set[tuple[int, int]]] = []
    lost = {(2, 0)}

    def fate(parcel: Parcel) -> list[bytes]:
        if parcel.source == "b":
            if parcel.is_acknowledgement:
                covered.append({(one.first_sequence, one.last_sequence) for one in parcel.read.header.acknowledged})
            return []
        return [] if parcel.number in lost else [parcel.raw]

    world.fate = fate
    world.end(target)
    world.send(handle, b"one", b"two", b"3, and more", b"four")
    world.settle()
    world.restart("b")
    world.send(handle, b"five")
    world.settle()
    assert covered[-1] == {(0, 1), (3, 5)}
    assert world.there(target).receive_sequence == 2
    lost.clear()
    world.restart("b")
    world.later(5_000)
    assert covered[-1] == {(0, 5)}
    assert (world.there(target).receive_sequence, world.there(target).held, world.received()) == (6, 0, [])


def test_a_held_message_that_its_type_does_not_allow_ends_the_conversation_when_its_turn_comes() -> None:
    world = Joined()
    handle, target = world.open("C")
    world.fate = lambda parcel: [] if parcel.number == (1, 0) else [parcel.raw]
    world.send(handle, b"<good/>", b"<bad", b"<never seen/>", message_type="Xml")
    world.settle()
    assert world.state(target) == "CO"
    world.fate = lambda parcel: [parcel.raw]
    world.later(5 * SECOND)
    assert (world.state(handle), world.state(target)) == ("ER", "ER")
    bodies = [message.message_type_name.rpartition("/")[2] for message in world.receive()]
    assert sorted(bodies) == ["Error", "Xml"]
    assert world.there(target).held == 0


def test_the_status_of_a_queue_row() -> None:
    assert (READY, DISABLED) == (1, 2)


@pytest.mark.parametrize(
    "batches",
    [
        ([(2, 0), (2, 1)], [(1, 1), (3, 0)], [(1, 0), (3, 1)]),
        ([(1, 1)], [(1, 0), (2, 0), (2, 1), (3, 0)], [(3, 1)]),
    ],
)
def test_what_fills_the_gap_brings_with_it_what_was_held_and_what_came_with_it(
    batches: tuple[list[tuple[int, int]], ...],
) -> None:
    world = Joined(settings=DialogSettings(fragment_bytes=4))
    handle, _ = world.open()
    world.send(handle, b"first", b"second", b"third")
    parcels = {parcel.number: parcel for parcel in world.collect()}
    for numbers in batches:
        world.under_way = [parcels[number] for number in numbers]
        world.carry()
    assert world.received() == ["first", "second", "third"]


@pytest.mark.parametrize("host", ["a", "b"])
def test_a_crash_loses_nothing_of_what_is_held(host: str) -> None:
    world = Joined(settings=DialogSettings(fragment_bytes=4, window=3))
    handle, _ = world.open()
    world.send(handle, b"a message of several parts", b"small", b"another one of several")
    for _ in range(3):
        world.collect()
        world.carry()
    world.restart(host)
    for _ in range(3):
        world.later(70 * SECOND)
    assert world.received() == ["a message of several parts", "small", "another one of several"]


def test_what_is_ready_in_a_conversation_that_has_gone_meanwhile_is_left() -> None:
    """One side of a loop back to the same instance may end the other in the same batch."""
    world = Joined()
    work = world.brokers["a"].work(ClaimRequest(), world.now)
    work.ready["gone"] = None
    assert bodies_needed(work) == ()
    release_ready(work)
    assert (work.ready, work.changes.enqueued) == ({}, [])
    world.brokers["a"].release(work)

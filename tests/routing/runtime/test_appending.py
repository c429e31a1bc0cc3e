"""A SEND without a claim leaves what a SEND with a claim leaves: two worlds of one seed, one of each."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from routing.dialog.problems import VerbError
from routing.dialog.send import send
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


def appended(world: Joined, handle: str, *bodies: bytes) -> bool:
    broker = world.brokers["a"]
    work = broker.remembered_work(handle, world.now)
    assert work is not None
    for body in bodies:
        send(work, (handle,), "DEFAULT", body)
    return broker.append(work)


@pytest.mark.parametrize("prepare", [under_way, acknowledged, window_full])
def test_the_endpoint_and_what_arrives_are_the_same(prepare: Callable[[Joined, str], None]) -> None:
    (claiming, handle), (appending, same) = prepared(prepare), prepared(prepare)
    assert handle == same
    for world in (claiming, appending):  # so that the next SEND finds the conversation as its process remembers it
        world.send(handle, b"before")
    claiming.send(handle, b"one", b"two")
    assert appended(appending, handle, b"one", b"two")
    assert appending.there(handle) == claiming.there(handle)
    for world in (claiming, appending):
        world.fate = lambda parcel: [parcel.raw]
        world.now += 60_000
        world.settle()
    found = claiming.received()
    assert found[-3:] == ["before", "one", "two"]
    assert appending.received() == found


def test_a_side_that_has_ended_is_remembered_as_ended() -> None:
    world, handle = prepared(acknowledged)
    world.end(handle)
    with pytest.raises(VerbError):
        appended(world, handle, b"too late")

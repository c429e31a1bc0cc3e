"""ERROR_BROKER_CONVERSATIONS: the conversations of a database end with an error, on both sides."""

from __future__ import annotations

from typing import Any

import pytest

from routing.dialog.batch import ClaimRequest
from routing.dialog.error_conversations import error_conversations
from routing.dialog.error_message import read_error
from routing.dialog.messages import QueuedMessage
from routing.dialog.problems import VerbError
from routing.dialog.system_names import ERROR_TYPE
from tests.routing.dialog.joined import Joined, carried
from tests.routing.dialog.local import Local, small_estate


def codes(messages: tuple[QueuedMessage, ...]) -> list[int]:
    """Codes of the errors among these messages."""
    found = [read_error(m.message_body or b"") for m in messages if m.message_type_name == ERROR_TYPE]
    return [code for code, _ in filter(None, found)]


def err(world: Any, *handles: str) -> None:
    if isinstance(world, Local):
        world.do(error_conversations, handles, wanted=ClaimRequest(handles=handles))
    else:
        world.do(world.host(handles[0]), error_conversations, handles, wanted=ClaimRequest(handles=handles))


@pytest.mark.parametrize("side", ["initiator", "target"])
def test_both_sides_are_told(side: str) -> None:
    world = Joined()
    handle, target = world.open()
    world.send(handle, b"lost")
    erred, peer = (handle, target) if side == "initiator" else (target, handle)
    err(world, erred)
    assert (world.state(erred), world.there(erred).outgoing) == ("ER", 0)
    world.settle()
    assert world.state(peer) == "ER"
    here, there = ("one", "two") if side == "initiator" else ("two", "one")
    assert (codes(world.receive(here)), codes(world.receive(there))) == ([-9719], [-9720])
    with pytest.raises(VerbError):
        world.send(erred, b"no more")
    world.end(erred, peer)
    world.settle()
    assert world.state(handle) == ""


def test_a_peer_that_heard_nothing_is_told_when_it_sends() -> None:
    """DLG-UNSEQ: an error of the broker is sent once; a message for the conversation causes another."""
    world = Joined()
    handle, target = world.open()
    world.fate = lambda _: []  # nothing arrives
    err(world, target)
    world.settle()
    assert world.state(handle) == "CO"
    world.fate = carried
    world.send(handle, b"2")
    world.settle()
    assert codes(world.receive("one")) == [-8462]


def test_a_conversation_within_the_database_is_told_the_same_on_both_sides() -> None:
    local = Local(small_estate(one={"services": [{"name": "From", "queue": "FromQ"}, TO]}, two={"services": []}))
    handle = local.begin()
    local.send(handle, body=b"first")
    (message,) = local.receive("one", "ToQ")
    err(local, handle, message.conversation_handle)
    assert codes(local.receive("one")) == codes(local.receive("one", "ToQ")) == [-9719]


TO = {"name": "To", "queue": "ToQ", "contracts": ["C", "DEFAULT"]}


def test_a_peer_in_another_database_of_the_instance_is_told_at_once() -> None:
    local = Local()
    handle, target = local.open()
    err(local, handle)
    assert (local.state(handle), local.state(target)) == ("ER", "ER")
    assert (codes(local.receive("one")), codes(local.receive("two"))) == ([-9719], [-9720])


def test_what_has_ended_stays_as_it_is_and_what_nobody_knows_of_tells_nobody() -> None:
    world = Joined()
    begun = world.begin()
    err(world, begun)
    assert (world.state(begun), world.collect(), codes(world.receive("one"))) == ("ER", [], [-9719])
    handle, target = world.open()
    world.end(handle)
    err(world, handle)
    assert world.state(handle) == "DO", "its end is still to be delivered"
    world.settle()
    err(world, target)
    assert world.state(target) == "DI"
    assert world.received("two") == ["END"]

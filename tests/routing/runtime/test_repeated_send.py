"""A SEND that is answered as the one before leaves what the engine would leave. It is not answered so where something
has changed that the answer was made from. Two worlds of one seed: one repeats, one asks the engine."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from routing.dialog.end_conversation import end_conversation
from routing.dialog.send import send
from routing.security.instance_security import InstanceSecurity
from tests.routing.dialog.joined import NOW, Joined, joined_estate, way

NEXT = b"the next one"


def joined(**given: Any) -> tuple[Joined, str]:
    """A conversation on which the engine has answered a SEND that left with its commit."""
    world = Joined(seed=7, **given)
    handle, _ = world.open()
    world.send(handle, b"claimed")
    world.settle()
    ask(world, handle, b"asked")
    world.settle()
    return world, handle


def ask(world: Joined, handle: str, body: bytes, message_type: str = "DEFAULT", at_once: bool = True) -> bool:
    """Send without a claim, and ask the engine. Returns whether the message left."""
    broker = world.brokers[world.host(handle)]
    work = broker.remembered_work(handle, world.now)
    assert work is not None
    send(work, (handle,), message_type, body)
    outcome = broker.append(work, at_once=at_once)
    assert outcome is not None
    world.give_out(world.host(handle))
    return outcome.have_left


def repeat(
    world: Joined,
    handle: str,
    body: bytes = NEXT,
    message_type: str = "DEFAULT",
    *,
    at_once: bool = True,
    host: str = "a",
) -> Any:
    """Send as the SEND before was answered. Returns the outcome; None: it is not answered so."""
    outcome = world.brokers[host].send_again(handle, message_type, body, world.now, at_once=at_once)
    world.give_out(host)
    return outcome


@pytest.mark.parametrize("at_once", [True, False], ids=["at_once", "later"])
@pytest.mark.parametrize("bodies", [[NEXT], [b"one", b"", b"three"], [bytes(32_768)]], ids=["one", "three", "longest"])
def test_it_leaves_what_the_engine_leaves(bodies: list[bytes], at_once: bool) -> None:
    (asking, handle), (repeating, same) = joined(), joined()
    assert handle == same
    for world in (asking, repeating):
        world.now += 1_234
    for body in bodies:
        ask(asking, handle, body, at_once=at_once)
        assert repeat(repeating, handle, body, at_once=at_once).have_left is at_once
    assert repeating.there(handle) == asking.there(handle)
    assert [one.raw for one in repeating.passed] == [one.raw for one in asking.passed]
    assert repeating.events == asking.events
    for world in (asking, repeating):
        world.settle()
    assert repeating.received() == asking.received() == ["claimed", "asked", *[body.decode() for body in bodies]]
    assert repeating.events == asking.events


def test_a_target_repeats_its_answers_too() -> None:
    (asking, handle), (repeating, _) = joined(), joined()
    for world in (asking, repeating):
        target = world.target(handle)
        assert target is not None
        for body in (b"reply", b"claimed"):
            world.send(target.conversation_handle, body)
            world.settle()
        ask(world, target.conversation_handle, b"asked")
        world.settle()
    ask(asking, target.conversation_handle, NEXT)
    assert repeat(repeating, target.conversation_handle, host="b") is not None
    assert [one.raw for one in repeating.passed] == [one.raw for one in asking.passed]
    assert repeating.events == asking.events


def test_what_is_lost_is_sent_again() -> None:
    world, handle = joined()
    world.fate = lambda _parcel: []
    assert repeat(world, handle, b"lost").have_left
    world.carry()
    world.fate = lambda parcel: [parcel.raw]
    world.later(60_000)
    assert world.received() == ["claimed", "asked", "lost"]


def test_each_message_type_has_its_answer() -> None:
    world = Joined(seed=7)
    handle, _ = world.open("C")
    for message_type in ("Ask", "Xml"):
        world.send(handle, b"<a/>", message_type=message_type)
        world.settle()
        assert repeat(world, handle, b"<a/>", message_type) is None
        ask(world, handle, b"<a/>", message_type)
    for message_type in ("Ask", "Xml", "Ask"):
        assert repeat(world, handle, b"<a/>", message_type) is not None
    assert repeat(world, handle, message_type="Tell") is None  # only the target may send it


def test_the_answer_is_kept_over_a_claim_that_changes_nothing_of_it() -> None:
    world, handle = joined()
    world.send(handle, b"claimed")
    world.settle()
    assert repeat(world, handle).have_left
    world.settle()
    assert world.received() == ["claimed", "asked", "claimed", NEXT.decode()]


def longer_than_a_fragment(world: Joined, _handle: str) -> dict[str, Any]:
    return {"body": bytes(world.brokers["a"].settings.fragment_bytes + 1)}


def ended(world: Joined, handle: str) -> dict[str, Any]:
    world.on(end_conversation, handle)
    return {}


def sent_by_another_process(world: Joined, handle: str) -> dict[str, Any]:
    memory = world.brokers["a"].remembered
    world.brokers["a"].remembered = type(memory)()
    world.send(handle, b"by another")
    world.settle()
    world.brokers["a"].remembered = memory
    return {}


def another_estate(world: Joined, _handle: str) -> dict[str, Any]:
    world.brokers["a"].change_estate(joined_estate())
    return {}


def other_keys(world: Joined, _handle: str) -> dict[str, Any]:
    world.brokers["a"].security = InstanceSecurity()
    return {}


def another_state_of_the_instance(world: Joined, _handle: str) -> dict[str, Any]:
    broker = world.brokers["a"]
    assert broker.remembered.instance is not None
    broker.remembered.instance = broker.remembered.instance.without_conversations()
    broker.remembered.instance.requests = {("one", "Elsewhere"): ""}
    return {}


def lifetime_over(world: Joined, handle: str) -> dict[str, Any]:
    world.now = world.there(handle).lifetime
    return {}


@pytest.mark.parametrize(
    "change",
    [
        longer_than_a_fragment,
        ended,
        sent_by_another_process,
        another_estate,
        other_keys,
        another_state_of_the_instance,
        lifetime_over,
    ],
)
def test_it_is_not_answered_so_after(change: Callable[[Joined, str], dict[str, Any]]) -> None:
    world, handle = joined()
    assert repeat(world, handle).have_left
    world.settle()
    given = change(world, handle)
    before = world.stores["a"].endpoint(handle)
    assert repeat(world, handle, **given) is None
    assert world.stores["a"].endpoint(handle) == before


def test_the_answers_of_other_keys_of_a_conversation_are_forgotten() -> None:
    """The message is added, but a worker sends it: its frame would have the guard of before."""
    world, handle = joined()
    world.stores["a"].endpoint(handle).integrity = 2
    assert not repeat(world, handle).have_left
    assert repeat(world, handle) is None


def test_it_is_not_answered_so_once_a_route_has_expired() -> None:
    expiry = datetime.fromtimestamp(NOW / 1000, UTC) + timedelta(hours=1)
    routes = [way("To", "b", "first"), way("Other", "b", lifetime=expiry.strftime("%Y-%m-%dT%H:%M:%SZ"))]
    world, handle = joined(estate=joined_estate(one={"routes": routes}))
    world.now = NOW + 3_599_999
    assert repeat(world, handle) is not None
    world.now += 1
    assert repeat(world, handle) is None
    world.now = NOW + 3_599_999  # a clock that went back
    assert repeat(world, handle) is not None


def test_a_choice_between_routes_is_made_each_time() -> None:
    routes = [way("To", "b", "first"), way("To", "c", "second")]
    world = Joined(joined_estate(one={"routes": routes}))
    handle = world.begin()
    world.send(handle)
    world.settle()
    broker, endpoint = world.brokers["a"], world.there(handle)
    assert endpoint.kept_route in {"first", "second"}
    assert broker.decisions.certain_between(endpoint, world.now, {}) is not None  # it stays
    unbound = endpoint.copied()
    unbound.kept_route = unbound.far_broker_instance = None
    assert broker.decisions.certain_between(unbound, world.now, {}) is None


def test_the_frame_that_begins_a_conversation_is_not_repeated() -> None:
    """Until the peer has acknowledged the first message, fragments say that it may not know the conversation."""
    world = Joined(seed=7)
    handle = world.begin()
    world.is_quick = True
    world.send(handle, b"first")
    world.give_out("a")
    assert ask(world, handle, b"second")
    assert repeat(world, handle) is None

"""A mirrored route at run time: questions about roles, the way of messages, failovers (MIR-1 to MIR-4)."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest

from routing.common.choices import Choices
from routing.common.event_subclasses import MirroredRouteSubclass
from routing.common.network_events import MirroredRouteStateChanged
from routing.dialog.batch import ClaimRequest, ReceiveRequest
from routing.dialog.begin_dialog import begin_dialog
from routing.dialog.receive import receive
from routing.dialog.send import send
from routing.documents.estate_document import read_estate
from routing.model.estate import Estate
from routing.runtime.broker import Broker
from routing.runtime.store import Conflict, QueueDepth, Store
from routing.simulation.memory_store import MemoryStore

ONE, TWO = (f"6f3f0d5e-0000-4000-8000-00000000000{digit}" for digit in "12")
NOW = 1_900_000_000_000
LOCAL = {"name": "AutoCreatedLocal", "address": "LOCAL"}
QUEUE = ("two", "ToQ")


def mirrored_estate(**roles: str) -> Estate:
    """Host `a` sends to the service To, whose database is on `b` and `c`, in these roles."""
    route: dict[str, Any] = {"name": "to", "remote_service_name": "To", "broker_instance": TWO}
    route |= {"address": "tcp://b", "mirror_address": "tcp://c"}
    one: dict[str, Any] = {"name": "one", "broker_instance": ONE, "services": [{"name": "From", "queue": "FromQ"}]}
    one["routes"] = [LOCAL, route]
    two: dict[str, Any] = {"name": "two", "broker_instance": TWO}
    two["services"] = [{"name": "To", "queue": "ToQ", "contracts": ["DEFAULT"]}]
    two["routes"] = [LOCAL, {"name": "from", "remote_service_name": "From", "address": "tcp://a"}]
    msdb = {"name": "msdb", "routes": [LOCAL]}
    hosts = {"a": [one, msdb]} | {name: [two | {"mirroring_role": role}, msdb] for name, role in roles.items()}
    instances = [{"name": n, "addresses": [f"tcp://{n}"], "databases": databases} for n, databases in hosts.items()]
    return read_estate(json.dumps({"format": "brokerui.estate/1", "instances": instances}))


class World:
    """Three brokers, and a network that carries what its instances are up for."""

    def __init__(self) -> None:
        self.choices = Choices(random.Random(1).getrandbits)
        self.estate = mirrored_estate(b="PRINCIPAL", c="MIRROR")
        self.stores: dict[str, Store] = {name: MemoryStore() for name in "abc"}
        self.brokers: dict[str, Broker] = {}
        for name in "abc":
            self.start(name)
        self.now = NOW
        self.down: set[str] = set()
        self.carried: list[tuple[str, str]] = []
        self.reported: list[tuple[MirroredRouteSubclass, str]] = []

    def start(self, name: str) -> None:
        self.brokers[name] = Broker(self.estate, name, self.stores[name], self.choices)

    def later(self, seconds: float) -> None:
        for _ in range(int(seconds * 10)):
            self.now += 100
            for name in set(self.brokers) - self.down:
                self._let_work(name)

    def _let_work(self, name: str) -> None:
        broker = self.brokers[name]
        if (due := broker.next_timer()) is not None and due <= self.now:
            broker.handle_timer(self.now)
        for outbound in broker.frames_to_send(self.now):
            to = outbound.address.removeprefix("tcp://").removesuffix(":4022")
            self.carried.append((name, to))
            if to not in self.down:
                self.brokers[to].receive([outbound.frame], self.now)
        changes = (event for _, event in broker.events() if isinstance(event, MirroredRouteStateChanged))
        self.reported += [(event.subclass, event.principal) for event in changes]

    def fail_over(self) -> None:
        """The database goes to `c` with all that it holds."""
        self.estate = mirrored_estate(b="MIRROR", c="PRINCIPAL")
        self.stores["c"], self.stores["b"] = self.stores["b"], self.stores["c"]
        for name in "bc":
            self.start(name)

    def begin(self) -> str:
        work = self.brokers["a"].work(ClaimRequest(), self.now)
        handle = begin_dialog(work, "one", "From", "To", encryption=False)
        self.brokers["a"].commit(work)
        return handle

    def send(self, handle: str, body: bytes) -> None:
        work = self.brokers["a"].work(ClaimRequest(handles=(handle,)), self.now)
        send(work, (handle,), "DEFAULT", body)
        self.brokers["a"].commit(work)

    def received(self, name: str) -> list[bytes | None]:
        request = ReceiveRequest(QUEUE)
        work = self.brokers[name].work(ClaimRequest(receive=request), self.now)
        messages = receive(work, request)
        self.brokers[name].commit(work)
        return [message.message_body for message in messages]

    def sent_by_a(self) -> set[str]:
        carried, self.carried = self.carried, []
        return {to for sender, to in carried if sender == "a"}


def test_both_are_asked_at_first_and_then_only_the_principal_hears_anything() -> None:
    world = World()
    handle = world.begin()
    world.send(handle, b"1")
    world.later(1)
    assert world.sent_by_a() == {"b", "c"}
    assert world.reported == [(MirroredRouteSubclass.OPERATIONAL, "tcp://b:4022")]
    assert world.received("b") == [b"1"]
    world.send(handle, b"2")
    world.later(1)
    assert world.sent_by_a() == {"b"}
    assert world.stores["c"].depth(QUEUE) == QueueDepth(0, None)


def test_what_a_lost_commit_was_to_ask_leaves_with_the_next_one() -> None:
    """And is not waited for, as if it had been asked."""
    world = World()
    handle = world.begin()
    broker = world.brokers["a"]
    work = broker.work(ClaimRequest(handles=(handle,)), world.now)
    send(work, (handle,), "DEFAULT", b"1")
    world.stores["a"].forget_claims()
    with pytest.raises(Conflict):
        broker.commit(work)
    assert broker.frames_to_send(world.now) == []
    world.send(handle, b"1")
    world.later(1)
    assert world.reported == [(MirroredRouteSubclass.OPERATIONAL, "tcp://b:4022")]
    assert world.received("b") == [b"1"]


def test_nothing_goes_to_a_partner_that_does_not_claim_the_role() -> None:
    """MIR-4: the principal is away, and its mirror is no principal."""
    world = World()
    handle = world.begin()
    world.send(handle, b"1")
    world.later(1)
    world.down = {"b"}
    world.send(handle, b"2")
    world.later(60)
    assert world.reported[-1] == (MirroredRouteSubclass.NOT_OPERATIONAL, "")
    assert world.stores["c"].depth(QUEUE) == QueueDepth(0, None)
    world.down = set()
    world.later(80)
    assert world.received("b") == [b"1", b"2"]


def test_messages_follow_the_role_when_the_partner_claims_it() -> None:
    """MIR-3: once, in order, with what the principal had before."""
    world = World()
    handle = world.begin()
    world.send(handle, b"1")
    world.later(1)
    world.down = {"b"}
    world.send(handle, b"2")
    world.later(40)
    world.fail_over()
    world.later(80)
    assert world.reported[-1] == (MirroredRouteSubclass.OPERATIONAL_WITH_PRINCIPAL_ONLY, "tcp://c:4022")
    assert world.received("c") == [b"1", b"2"]
    world.down = set()
    world.sent_by_a()
    world.send(handle, b"3")
    world.later(1)
    assert world.received("c") == [b"3"]
    assert world.sent_by_a() == {"c"}


def test_an_address_that_cannot_be_reached_is_not_waited_for() -> None:
    world = World()
    handle = world.begin()
    world.send(handle, b"1")
    world.later(1)
    world.down = {"b"}
    world.fail_over()
    world.brokers["a"].cannot_reach("tcp://b:4022", world.now)
    world.send(handle, b"2")
    world.later(10)
    assert world.received("c") == [b"1", b"2"]


def test_what_was_learnt_is_known_after_a_crash() -> None:
    world = World()
    handle = world.begin()
    world.send(handle, b"1")
    world.later(1)
    world.start("a")
    world.sent_by_a()
    world.send(handle, b"2")
    world.later(1)
    assert world.received("b") == [b"1", b"2"]
    assert world.sent_by_a() == {"b"}

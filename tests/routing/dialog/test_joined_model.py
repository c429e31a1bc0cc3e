"""Conversations between two brokers against a model of a few lists: whatever applications and the network do."""

from __future__ import annotations

from typing import Any

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, invariant, precondition, rule

from routing.dialog.end_conversation import end_conversation, end_with_cleanup, end_with_error
from routing.dialog.settings import DialogSettings
from tests.routing.dialog.joined import Joined, Parcel
from tests.routing.dialog.local import SECOND, SHORT
from tests.routing.dialog.test_model import SIDES, Side, refusal

DATABASES = ("one", "two")
HOSTS = ("a", "b")
VERBS: dict[str, tuple[Any, tuple[Any, ...]]] = {
    "END": (end_conversation, ()),
    "ERROR": (end_with_error, (1, "no")),
    "CLEANUP": (end_with_cleanup, ()),
}
FAULTS = ("arrives", "arrives", "arrives", "lost", "twice", "changed", "cut")


class JoinedConversations(RuleBasedStateMachine):
    """Two applications on two hosts, all conversations between them, and every fragment on the network."""

    conversations = Bundle("conversations")

    def __init__(self) -> None:
        super().__init__()
        self.world = Joined(settings=DialogSettings(fragment_bytes=8, window=4))
        self.sides: list[tuple[Side, Side]] = []
        self.by_id: dict[str, int] = {}

    # ------------------------------------------------------------ applications

    @rule(target=conversations)
    def begin(self) -> int:
        handle = self.world.begin()
        self.by_id[self.world.there(handle).conversation_id] = len(self.sides)
        self.sides.append((Side(handle), Side()))
        return len(self.sides) - 1

    @rule(number=conversations, which=SIDES, long=st.booleans())
    def send(self, number: int, which: int, long: bool) -> None:
        side = self.sides[number][which]
        if side.handle is None:
            return
        body = f"{number}.{which}.{len(side.sent)}" + "." * (30 * long)
        there = self.world.endpoint(side.handle)
        if there is None or there.state not in ("SO", "CO"):
            assert side.ended or there is not None
            return
        self.world.send(side.handle, body.encode())
        assert not side.ended
        side.sent.append(body)

    @rule(which=SIDES)
    def receive(self, which: int) -> None:
        messages: list[Any] = []
        number = refusal(lambda: messages.extend(self.world.receive(DATABASES[which], top=2)))
        assert number in (0, 9617)
        for message in messages:
            side = self.sides[self.by_id[self.world.there(message.conversation_handle).conversation_id]][which]
            side.handle = side.handle or message.conversation_handle
            assert side.handle == message.conversation_handle
            assert not side.ended
            side.received.append(SHORT.get(message.message_type_name) or (message.message_body or b"").decode())

    @rule(number=conversations, which=SIDES, how=st.sampled_from(["END", "END", "ERROR", "CLEANUP"]))
    def end(self, number: int, which: int, how: str) -> None:
        side = self.sides[number][which]
        verb, arguments = VERBS[how]
        there = self.world.endpoint(side.handle) if side.handle else None
        if there is None:
            return
        if refusal(lambda: self.world.on(verb, there.conversation_handle, *arguments)):
            assert side.ended
        else:
            side.ended = side.ended or how
            side.cleaned = how == "CLEANUP"

    @rule(which=SIDES, on=st.booleans())
    def switch(self, which: int, on: bool) -> None:
        self.world.switch(on, DATABASES[which])

    # ------------------------------------------------------------ network, time, crashes

    @rule(at=st.integers(0, 5), fate=st.sampled_from(FAULTS), bit=st.integers(72, 5000))
    def carry(self, at: int, fate: str, bit: int) -> None:
        """Deliver, lose, double, damage or cut one of the frames on the network, in any order."""
        self.world.collect()
        if not self.world.under_way:
            return
        parcel = self.world.under_way.pop(at % len(self.world.under_way))
        raw = bytearray(parcel.raw)
        if fate == "changed":
            raw[bit // 8 % (len(raw) - 9) + 9] ^= 1 << bit % 8
        came = {"lost": [], "twice": [parcel.raw] * 2, "changed": [bytes(raw)], "cut": [parcel.raw[:-1]]}
        self._arrive(parcel, came.get(fate, [parcel.raw]))

    def _arrive(self, parcel: Parcel, came: list[bytes]) -> None:
        if came:
            self.world.brokers[parcel.target].receive(came, self.world.now)

    @rule()
    def carry_all(self) -> None:
        """In the order in which it was sent."""
        self.world.collect()
        self.world.carry()

    @rule(seconds=st.sampled_from([0, 3, 10, 70]))
    def later(self, seconds: int) -> None:
        self.world.now += seconds * SECOND
        self.world.collect()

    @rule(which=SIDES)
    def crash(self, which: int) -> None:
        self.world.restart(HOSTS[which])

    # ------------------------------------------------------------ what must hold

    @invariant()
    def everything_came_once_and_in_order(self) -> None:
        for pair in self.sides:
            for own, peer in (pair, pair[::-1]):
                bodies = [what for what in own.received if what not in SHORT.values()]
                assert bodies == peer.sent[: len(bodies)]
                assert len(own.received) - len(bodies) <= 1
                if "END" in own.received:
                    assert own.received == [*peer.sent, "END"]
                    assert peer.ended

    @invariant()
    def what_is_counted_is_what_is_there(self) -> None:
        for host in HOSTS:
            store = self.world.stores[host]
            endpoints = store._endpoints
            assert {h: e.outgoing for h, e in endpoints.items() if e.outgoing} == {
                handle: len(rows) for handle, rows in store._outgoing.items()
            }
            assert {h: e.held for h, e in endpoints.items() if e.held} == {
                h: len(one) for h, one in store._held.items()
            }
            for handle, one in store._held.items():
                assert endpoints[handle].held_bytes == sum(len(held.body) for held in one.values())
            assert not store._claims
            for endpoint in endpoints.values():
                moments = [moment for moment in (endpoint.due, endpoint.first_due()) if moment is not None]
                assert endpoint.due == min(moments, default=None)
                assert endpoint.may_wait or not (endpoint.outgoing or endpoint.held)
                assert endpoint.acknowledged_sequence <= endpoint.sending_sequence <= endpoint.send_sequence
                assert endpoint.acknowledged_sequence <= endpoint.transmitted <= endpoint.send_sequence
                assert not endpoint.outgoing or endpoint.next_attempt is not None or endpoint.ready_since is not None

    @precondition(lambda self: self.sides)
    @rule()
    def heal(self) -> None:
        """With a network that loses nothing and all queues on, everything arrives that somebody still waits for."""
        for which in (0, 1):
            self.world.switch(on=True, database=DATABASES[which])
        for _ in range(4):
            self.world.later(70 * SECOND)
        for _ in range(3):
            for which in (0, 1):
                while self.world.depth(DATABASES[which]):
                    self.receive(which)
        for host in HOSTS:
            assert not self.world.stores[host]._outgoing
            assert not self.world.stores[host]._held
        for pair in self.sides:
            for own, peer in (pair, pair[::-1]):
                if not own.ended and not peer.cleaned and peer.ended in ("", "END"):
                    end = ["END"] if peer.ended and (peer.sent or own.sent) else []
                    assert own.received == peer.sent + end


JoinedConversations.TestCase.settings = settings(max_examples=60, stateful_step_count=50, deadline=None)
TestJoinedConversations = JoinedConversations.TestCase

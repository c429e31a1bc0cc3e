"""Whole conversations against a model of a few lists: whatever applications do, and whichever queues are off."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, invariant, precondition, rule

from routing.dialog.end_conversation import end_conversation, end_with_cleanup, end_with_error
from routing.dialog.messages import QueuedMessage
from routing.dialog.problems import VerbError
from routing.simulation.memory_store import MemoryStore
from tests.routing.dialog.local import SECOND, SHORT, Local

DATABASES = ("one", "two")
SIDES = st.integers(0, 1)


VERBS: dict[str, tuple[Callable[..., None], tuple[Any, ...]]] = {
    "END": (end_conversation, ()),
    "ERROR": (end_with_error, (1, "no")),
    "CLEANUP": (end_with_cleanup, ()),
}


def refusal(act: Callable[[], object]) -> int:
    """The number of the error that an act is refused with; 0: it is not."""
    try:
        act()
    except VerbError as refused:
        return refused.number
    return 0


class Side:
    """What one application of a conversation did and saw."""

    def __init__(self, handle: str | None = None) -> None:
        self.handle = handle
        self.sent: list[str] = []
        self.received: list[str] = []
        self.ended = ""
        """How: `END`, `ERROR` or `CLEANUP`."""
        self.cleaned = False
        """An end that had not arrived may not arrive any more."""


class Conversations(RuleBasedStateMachine):
    """Two applications, and all the conversations between them."""

    conversations = Bundle("conversations")

    def __init__(self) -> None:
        super().__init__()
        self.store = MemoryStore()
        self.world = Local(store=self.store)
        self.sides: list[tuple[Side, Side]] = []
        self.by_id: dict[str, int] = {}

    @rule(target=conversations)
    def begin(self) -> int:
        handle = self.world.begin()
        self.by_id[self.world.there(handle).conversation_id] = len(self.sides)
        self.sides.append((Side(handle), Side()))
        return len(self.sides) - 1

    @rule(target=conversations)
    def open(self) -> int:
        """One that both sides know."""
        number = self.begin()
        self.switch(1, True)
        self.send(number, 0)
        while self.sides[number][1].handle is None:
            self.receive(1)
        return number

    @rule(number=conversations, which=SIDES)
    def send(self, number: int, which: int) -> None:
        side = self.sides[number][which]
        if side.handle is None:
            return
        body = f"{number}.{which}.{len(side.sent)}"
        before = self.world.state(side.handle)
        number_of_refusal = refusal(lambda: self.world.send(side.handle or "", body=body.encode()))
        if number_of_refusal:
            assert number_of_refusal == (8429 if before else 8426)
            assert side.ended or before in ("DI", "ER")
        else:
            assert not side.ended
            side.sent.append(body)

    @rule(which=SIDES)
    def receive(self, which: int) -> None:
        messages: list[QueuedMessage] = []
        number = refusal(lambda: messages.extend(self.world.receive(DATABASES[which], top=2)))
        assert number in (0, 9617)
        for message in messages:
            endpoint = self.world.there(message.conversation_handle)
            side = self.sides[self.by_id[endpoint.conversation_id]][which]
            side.handle = side.handle or message.conversation_handle
            assert side.handle == message.conversation_handle
            assert not side.ended
            side.received.append(SHORT.get(message.message_type_name) or (message.message_body or b"").decode())

    @rule(number=conversations, which=SIDES, how=st.sampled_from(["END", "END", "ERROR", "CLEANUP"]))
    def end(self, number: int, which: int, how: str) -> None:
        side = self.sides[number][which]
        if side.handle is None:
            return
        verb, arguments = VERBS[how]
        number_of_refusal = refusal(lambda: self.world.on(verb, side.handle or "", *arguments))
        if number_of_refusal:
            assert side.ended
            assert number_of_refusal in (8426, 8427)
        else:
            side.ended = side.ended or how
            side.cleaned = how == "CLEANUP"

    @rule(which=SIDES, on=st.booleans())
    def switch(self, which: int, on: bool) -> None:
        self.world.switch(on, DATABASES[which])

    @rule(seconds=st.sampled_from([0, 3, 10, 70]))
    def later(self, seconds: int) -> None:
        self.world.later(seconds * SECOND)

    @invariant()
    def everything_came_once_and_in_order(self) -> None:
        for pair in self.sides:
            for own, peer in (pair, pair[::-1]):
                bodies = [what for what in own.received if what not in SHORT.values()]
                assert bodies == peer.sent[: len(bodies)]
                assert len(own.received) - len(bodies) <= 1
                if "END" in own.received:
                    assert peer.ended == "END"
                    assert own.received == [*peer.sent, "END"]
                if "ERROR" in own.received:
                    assert own.received[-1] == "ERROR" or peer.ended

    @invariant()
    def what_is_counted_is_what_is_there(self) -> None:
        endpoints = self.store._endpoints
        assert {h: e.outgoing for h, e in endpoints.items() if e.outgoing} == {
            handle: len(rows) for handle, rows in self.store._outgoing.items()
        }
        groups = Counter(endpoint.conversation_group_id for endpoint in endpoints.values())
        assert groups == {group_id: group.conversations for group_id, group in self.store._groups.items()}
        for queue in self.store._queues.values():
            assert {message.conversation_handle for message in queue.messages.values()} <= endpoints.keys()
        assert not self.store._claims
        assert not self.store._claimed
        assert not self.store._locked
        for endpoint in endpoints.values():
            moments = [moment for moment in (endpoint.due, endpoint.first_due()) if moment is not None]
            assert endpoint.due == min(moments, default=None)
            assert endpoint.may_wait or not (endpoint.outgoing or endpoint.held)
            assert bool(endpoint.outgoing) == (endpoint.next_attempt is not None)

    @precondition(lambda self: self.sides)
    @rule()
    def heal(self) -> None:
        """With all queues on, everything arrives that somebody still waits for."""
        for which in (0, 1):
            self.world.switch(on=True, database=DATABASES[which])
        for _ in range(4):
            self.world.later(70 * SECOND)
        for _ in range(3):
            for which in (0, 1):
                while self.world.store.depth((DATABASES[which], ("FromQ", "ToQ")[which])).messages:
                    self.receive(which)
        assert not self.store._outgoing
        for pair in self.sides:
            for own, peer in (pair, pair[::-1]):
                if not own.ended and not peer.cleaned and peer.ended in ("", "END"):
                    end = ["END"] if peer.ended and (peer.sent or own.sent) else []
                    assert own.received == peer.sent + end


Conversations.TestCase.settings = settings(max_examples=150, stateful_step_count=50)
TestConversations = Conversations.TestCase

"""Checks of a complete message at its endpoint, whether it came from this instance or the network."""

from __future__ import annotations

import pytest

from routing.dialog.batch import ClaimRequest
from routing.dialog.directory import Directory
from routing.dialog.end_conversation import end_conversation, end_with_cleanup
from routing.dialog.endpoint import Endpoint
from routing.dialog.error_message import broker_error, error_body, read_error
from routing.dialog.inbound_message import (
    ACCEPTED,
    DROPPED_SILENTLY,
    ReceiptAnswer,
    receive_error,
    receive_message,
)
from routing.dialog.messages import InboundMessage
from routing.dialog.unit_of_work import UnitOfWork
from tests.routing.dialog.local import DAY, NOW, ONE, TWO, Local

FIRST = InboundMessage(
    "conversation", True, "From", ONE, "To", None, "DEFAULT", NOW + DAY, True, 0, "DEFAULT", b"x", False, False
)


class Arrivals(Local):
    """Messages from nowhere."""

    def here(self, database: str) -> Directory:
        return self.broker.work(ClaimRequest(), self.now).context.directory(database)

    def arrive(self, message: InboundMessage, database: str = "two") -> ReceiptAnswer:
        wanted = ClaimRequest(conversations=((message.conversation_id, True), (message.conversation_id, False)))
        return self.do(lambda work: receive_message(work, self.here(database), message), wanted=wanted)

    def reason(self) -> int:
        """The reason in the last event, which says that a message is undeliverable."""
        assert self.reported()[-1] == "160:1"
        return int(getattr(self.events[-1], "reason", 0))

    def target(self) -> Endpoint | None:
        work = self.broker.work(ClaimRequest(conversations=(("conversation", False),)), self.now)
        self.broker.release(work)
        return work.by_key(("conversation", False))


def gone(answer: ReceiptAnswer) -> bool:
    found = read_error(answer.error or b"")
    return not answer.taken and found is not None and found[0] == -8462


def test_the_first_message_makes_the_endpoint() -> None:
    world = Arrivals()
    assert world.arrive(FIRST) == ACCEPTED
    target = world.target()
    assert target
    assert (target.state, target.far_broker_instance, target.security_timestamp) == ("CO", ONE, None)
    assert target.replay_impossible == FIRST.lifetime + 30 * 60_000
    assert world.received() == ["x"]


def test_a_duplicate_is_taken_again_and_not_delivered() -> None:
    """ACK-4."""
    world = Arrivals()
    for _ in range(3):
        assert world.arrive(FIRST) == ACCEPTED
    assert world.arrive(FIRST._replace(message_sequence_number=1, message_body=b"y")) == ACCEPTED
    assert world.arrive(FIRST) == ACCEPTED
    assert world.received() == ["x", "y"]


def test_a_duplicate_is_taken_after_the_end_and_with_the_queue_off() -> None:
    world = Arrivals()
    world.arrive(FIRST)
    target = world.target()
    assert target
    world.on(end_conversation, target.conversation_handle)
    world.switch(on=False)
    assert world.arrive(FIRST) == ACCEPTED
    assert world.store.depth(("two", "ToQ")).messages == 0


def test_a_message_before_its_turn_is_left_with_its_sender() -> None:
    world = Arrivals()
    world.arrive(FIRST)
    assert world.arrive(FIRST._replace(message_sequence_number=2)) == ReceiptAnswer(taken=False, waits=11217)
    assert world.reason() == 11217
    assert world.received() == ["x"]


@pytest.mark.parametrize("number", [0, 1])
def test_a_queue_that_is_off_takes_nothing(number: int) -> None:
    world = Arrivals()
    if number:
        world.arrive(FIRST)
    world.switch(on=False)
    assert world.arrive(FIRST._replace(message_sequence_number=number)) == ReceiptAnswer(taken=False, waits=9749)
    assert world.reason() == 11219


@pytest.mark.parametrize(
    ("changed", "reason", "is_reported"),
    [
        ({"message_sequence_number": 1}, 11213, True),
        ({"from_initiator": False}, 11209, True),
        ({"is_end_of_dialog": True}, 11277, False),
        ({"is_conversation_error": True}, 11277, False),
        ({"to_service": "Nothing"}, 11210, False),
    ],
)
def test_what_finds_no_endpoint_and_makes_none(changed: dict[str, object], reason: int, is_reported: bool) -> None:
    world = Arrivals()
    answer = world.arrive(FIRST._replace(**changed))  # type: ignore[arg-type] - each change is of a field's type
    assert world.reason() == reason
    assert gone(answer) if is_reported else answer == DROPPED_SILENTLY
    assert world.target() is None


def test_a_service_that_was_named_by_its_database_and_is_not_there() -> None:
    answer = Arrivals().arrive(FIRST._replace(to_service="Nothing", to_broker_instance=TWO))
    assert read_error(answer.error or b"") == (-8490, 'The remote service "Nothing" does not exist.')


def test_an_endpoint_of_another_database_is_not_asked() -> None:
    world = Arrivals()
    world.arrive(FIRST)
    answer = world.arrive(FIRST._replace(message_sequence_number=1), database="one")
    assert answer == ReceiptAnswer(taken=False, waits=9795)
    assert world.received() == ["x"]


def test_after_the_peers_end_nothing_of_it_comes_any_more() -> None:
    world = Arrivals()
    world.arrive(FIRST)
    assert world.arrive(FIRST._replace(message_sequence_number=1, is_end_of_dialog=True)) == ACCEPTED
    assert gone(world.arrive(FIRST._replace(message_sequence_number=2)))
    assert world.reason() == 11217
    assert world.received() == ["x", "END"]


def waiting_for_its_end() -> tuple[Arrivals, str]:
    """A target that has ended, and whose end is not acknowledged, since its initiator cannot be reached."""
    world = Arrivals()
    world.arrive(FIRST._replace(from_service="Unreachable"))
    target = world.target()
    assert target
    world.on(end_conversation, target.conversation_handle)
    assert world.state(target.conversation_handle) == "DO"
    return world, target.conversation_handle


def test_what_arrives_after_the_own_end_is_taken_and_discarded() -> None:
    world, handle = waiting_for_its_end()
    assert world.arrive(FIRST._replace(message_sequence_number=1)) == ACCEPTED
    assert world.arrive(FIRST._replace(message_sequence_number=2, message_type_name="Nothing")) == ACCEPTED
    assert world.arrive(FIRST._replace(message_sequence_number=3, is_end_of_dialog=True)) == ACCEPTED
    assert world.state(handle) == "DO"
    assert world.received() == []


def test_an_error_that_crosses_the_own_end_closes_the_endpoint() -> None:
    world, handle = waiting_for_its_end()
    error = error_body(1, "no")
    assert (
        world.arrive(FIRST._replace(message_sequence_number=1, is_conversation_error=True, message_body=error))
        == ACCEPTED
    )
    assert (world.state(handle), world.there(handle).outgoing) == ("CD", 0)
    assert world.received() == []
    assert gone(world.arrive(FIRST._replace(message_sequence_number=2)))
    assert world.reason() == 11212


def test_the_first_error_stands() -> None:
    world = Arrivals()
    world.arrive(FIRST)
    target = world.target()
    assert target
    fail = broker_error(8495)

    def twice(work: UnitOfWork) -> None:
        for _ in range(2):
            receive_error(work, work.for_update(work.require(target.conversation_handle)), fail)

    world.on(lambda work, handle: twice(work), target.conversation_handle)
    error = FIRST._replace(message_sequence_number=1, is_conversation_error=True)
    assert world.arrive(error) == ACCEPTED
    assert world.received() == ["x", "ERROR"][::-1]
    assert gone(world.arrive(FIRST._replace(message_sequence_number=2)))


def test_an_error_for_a_conversation_that_has_sent_nothing_changes_nothing() -> None:
    world = Arrivals()
    handle = world.begin()
    world.on(lambda work, named: receive_error(work, work.for_update(work.require(named)), broker_error(8462)), handle)
    assert world.state(handle) == "SO"
    assert world.received("one") == []


def test_what_was_made_in_a_transaction_can_be_removed_in_it() -> None:
    world = Arrivals()
    wanted = ClaimRequest(conversations=(("conversation", True),))
    work = world.broker.work(wanted, NOW)
    receive_message(work, world.here("two"), FIRST)
    made = work.by_key(("conversation", False))
    assert made
    end_with_cleanup(work, made.conversation_handle)
    assert work.by_key(("conversation", False)) is None
    assert work.changes.endpoints == {}
    assert work.changes.enqueued == []
    world.broker.commit(work)
    assert world.target() is None
    assert world.received() == []

"""RETENTION: messages stay in their queue until the conversation ends on that side; none is received twice."""

from __future__ import annotations

from typing import Any

import pytest

from routing.dialog.batch import ClaimRequest, ReceiveRequest
from routing.dialog.conversation_timer import begin_conversation_timer
from routing.dialog.end_conversation import end_conversation, end_with_cleanup, end_with_error
from routing.dialog.messages import RETAINED_RECEIVED, RETAINED_SENT
from routing.dialog.receive import receive
from routing.dialog.unit_of_work import UnitOfWork
from routing.model.estate import Estate
from routing.runtime.store import QueueDepth
from routing.simulation.memory_store import MemoryStore
from tests.routing.dialog.local import SECOND, Local, small_estate

FROM, TO = ("one", "FromQ"), ("two", "ToQ")


def estate(retention: bool = True) -> Estate:
    """Both queues with RETENTION, or without."""
    queues = {name: {"queues": [{"name": queue, "retention": retention}]} for name, queue in (FROM, TO)}
    return small_estate(**queues)


class Retaining(Local):
    """Both queues retain, or those that are named."""

    def __init__(self, made: Estate | None = None) -> None:
        self.memory = MemoryStore()
        super().__init__(made or estate(), store=self.memory)

    def kept(self, queue: tuple[str, str]) -> list[tuple[int, int, bytes | None]]:
        """Status, number and body of what RETENTION keeps, in its order."""
        found = self.memory._queues.get(queue)
        rows = [row for of in (found.retained.values() if found else ()) for row in of]
        rows.sort(key=lambda row: row.queuing_order)
        return [(row.status, row.message_sequence_number, row.message_body) for row in rows]


def test_sent_and_received_messages_stay_and_are_not_received_again() -> None:
    local = Retaining()
    handle = local.begin()
    local.send(handle, body=b"1")
    local.send(handle, body=b"2")
    assert local.kept(FROM) == [(RETAINED_SENT, 0, b"1"), (RETAINED_SENT, 1, b"2")]
    assert (local.kept(TO), local.store.depth(TO).messages) == ([], 2)
    assert (len(local.receive(top=1)), local.received(), local.received()) == (1, ["2"], [])
    assert local.kept(TO) == [(RETAINED_RECEIVED, 0, b"1"), (RETAINED_RECEIVED, 1, b"2")]
    assert local.store.depth(TO) == QueueDepth(0, None), "nothing waits"
    assert local.received("one") == [], "the copy of a sent message is not received"


def test_what_is_retained_goes_when_the_conversation_ends_on_this_side() -> None:
    local = Retaining()
    handle, there = local.open()
    local.send(there, body=b"answer")
    assert local.received("one") == ["answer"]
    local.on(end_conversation, there)
    assert local.kept(TO) == []
    assert [row[0] for row in local.kept(FROM)] == [RETAINED_SENT, RETAINED_RECEIVED], "this side has not ended"
    assert local.received("one") == ["END"]
    assert [row[1] for row in local.kept(FROM)] == [0, 0, 1], "the EndDialog stays, too"
    local.on(end_conversation, handle)
    assert local.kept(FROM) == []


@pytest.mark.parametrize("end", [(end_with_error, 7, "out of stock"), (end_with_cleanup,)])
def test_it_goes_however_the_conversation_ends(end: Any) -> None:
    local = Retaining()
    handle, there = local.open()
    assert (len(local.kept(FROM)), len(local.kept(TO))) == (1, 1)
    verb, *arguments = end
    local.on(verb, there, *arguments)
    assert (local.kept(TO), len(local.kept(FROM))) == ([], 1)
    local.on(end_with_cleanup, handle)
    assert local.kept(FROM) == []


def test_what_is_received_and_ended_in_one_transaction_is_not_retained() -> None:
    local = Retaining()
    handle, there = local.open()
    local.send(handle, body=b"2")

    def receive_and_end(work: UnitOfWork) -> None:
        assert receive(work, ReceiveRequest(TO))
        end_conversation(work, there)

    local.do(receive_and_end, wanted=ClaimRequest(handles=(there,), receive=ReceiveRequest(TO)))
    assert (local.kept(TO), local.store.depth(TO)) == ([], QueueDepth(0, None))


def test_what_was_rolled_back_is_neither_retained_nor_gone() -> None:
    local = Retaining()
    local.send(local.begin(), body=b"1")
    with pytest.raises(ZeroDivisionError):
        local.do(received_and_failed, wanted=ClaimRequest(receive=ReceiveRequest(TO)))
    assert (local.kept(TO), local.received()) == ([], ["1"])


def received_and_failed(work: UnitOfWork) -> None:
    assert receive(work, ReceiveRequest(TO))
    raise ZeroDivisionError


def test_it_can_be_switched_on_and_off_in_the_middle() -> None:
    local = Retaining(estate(retention=False))
    handle = local.begin()
    local.send(handle, body=b"before")
    assert (local.received(), local.kept(FROM), local.kept(TO)) == (["before"], [], [])
    local.broker.change_estate(estate())
    local.send(handle, body=b"while")
    assert local.received() == ["while"]
    local.broker.change_estate(estate(retention=False))
    local.send(handle, body=b"after")
    assert local.received() == ["after"]
    assert local.kept(FROM) == [(RETAINED_SENT, 1, b"while")], "a retained message stays until the end"
    assert local.kept(TO) == [(RETAINED_RECEIVED, 1, b"while")]
    local.on(end_conversation, handle)
    assert (local.kept(FROM), len(local.kept(TO))) == ([], 1)


def test_a_timer_and_an_error_of_the_broker_are_retained_once_received() -> None:
    local = Retaining()
    handle, _ = local.open(lifetime_s=60)
    local.on(begin_conversation_timer, handle, 1)
    local.later(2 * SECOND)
    assert local.received("one") == ["TIMER"]
    local.later(60 * SECOND)
    assert local.received("one") == ["ERROR"]
    assert [row[0] for row in local.kept(FROM)] == [RETAINED_SENT, RETAINED_RECEIVED, RETAINED_RECEIVED]
    local.on(end_conversation, handle)
    assert local.kept(FROM) == []

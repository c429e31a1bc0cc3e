"""Acknowledgements that wait for each other: a few, not for long, and nothing else waits with them."""

from __future__ import annotations

from typing import Any

import pytest

from brokerui.messaging import tasks
from brokerui.messaging.broker_cache import broker_of
from brokerui.messaging.exchange import wake_debounce
from brokerui.messaging.exchange.frame_bundles import bundled, shard_of
from brokerui.messaging.exchange.lists import (
    WORKERS,
    FrameList,
    leave_shards,
    put,
    put_arrived,
    run,
    run_when_popped,
    take_outgoing,
    waiting,
)
from brokerui.messaging.exchange.outbox import redis
from brokerui.messaging.exchange.wake_debounce import bell_of, wake_once
from brokerui.messaging.models import OutgoingMessage
from brokerui.messaging.services import (
    Message,
    conversation_begin,
    conversation_send,
    message_receive,
)
from brokerui.messaging.workers import arrived_lists, delayed_acks
from brokerui.messaging.workers.arrived_frames import process_arrived
from brokerui.messaging.workers.arrived_lists import taking
from brokerui.messaging.workers.delayed_acks import FEW, MOST, DelayedAcks
from brokerui.messaging.workers.due_conversations import send_due
from routing.dialog.broker_context import OutboundFrame
from routing.dialog.messages import QueuedMessage
from tests.brokerui.messaging.hosted import ADDRESSES
from tests.brokerui.messaging.test_store import end_connections, on_postgres

pytestmark = pytest.mark.both_databases

THERE = ADDRESSES["A"]


def given_out() -> list[bytes]:
    """From B to A, since the last time."""
    return run(redis(), take_outgoing("B", THERE, 1 << 30))


def acknowledgements(count: int, first: int = 0) -> list[OutboundFrame]:
    """Of as many endpoints, which are numbered from `first`."""
    return [acknowledgement(number, number) for number in range(first, first + count)]


def acknowledgement(endpoint: int, text: int) -> OutboundFrame:
    return OutboundFrame(THERE, (4).to_bytes(4, "big") + text.to_bytes(4, "big"), endpoint)


@pytest.mark.usefixtures("wire")
def test_those_of_several_turns_leave_together(monkeypatch: pytest.MonkeyPatch) -> None:
    kept = DelayedAcks()
    assert kept.keep(broker_of("B"), acknowledgements(1), came=1) == []
    assert kept.keep(broker_of("B"), acknowledgements(2, first=1), came=FEW) == []
    assert 0 < kept.look() <= delayed_acks.SECONDS
    assert given_out() == []
    monkeypatch.setattr(delayed_acks.time, "monotonic", lambda: float("inf"))
    assert kept.look() == delayed_acks.SECONDS
    assert given_out() == [one.frame for one in acknowledgements(3)]
    kept.give_out()
    assert given_out() == []


@pytest.mark.usefixtures("wire")
def test_no_more_than_some_are_kept_back() -> None:
    kept = DelayedAcks()
    for number in range(MOST - 1):
        assert kept.keep(broker_of("B"), acknowledgements(1, first=number), came=1) == []
    assert given_out() == []
    assert kept.keep(broker_of("B"), acknowledgements(1, first=MOST), came=1) == []
    assert len(given_out()) == MOST


@pytest.mark.usefixtures("wire")
def test_a_later_acknowledgement_takes_the_place_of_the_earlier_one_of_its_endpoint() -> None:
    kept = DelayedAcks()
    kept.keep(broker_of("B"), [acknowledgement(1, 10), acknowledgement(2, 20)], came=2)
    kept.keep(broker_of("B"), [acknowledgement(1, 11)], came=1)
    elsewhere = acknowledgement(1, 12)._replace(address="tcp://elsewhere:1")
    kept.keep(broker_of("B"), [elsewhere], came=1)
    kept.give_out()
    assert given_out() == [acknowledgement(1, 11).frame, acknowledgement(2, 20).frame]


@pytest.mark.usefixtures("wire")
def test_what_one_batch_took_from_several_shards_is_received_acknowledged_and_deleted() -> None:
    """The second message of each conversation comes in a turn of its own: one acknowledgement speaks for both."""
    handles = [begun() for _ in range(12)]
    kept, taken = DelayedAcks(), []
    for body in (b"first", b"second"):
        for handle in handles:
            conversation_send(instance="A", handles=[handle], messages=[Message(body)])
        bring_to_b()
        taken.append(len({to for to in waiting(redis()) if to.instance == "B"}))
        come_in(kept)
    assert min(taken) > 1
    bodies = [[one.message_body for one in received] for received in iter(receive_at_b, ())]
    assert bodies == [[b"first", b"second"]] * 12
    kept.give_out()
    acks = given_out()
    assert len(acks) == 12
    run(redis(), put_arrived("A", acks))
    assert not process_arrived("A", range(4))
    assert OutgoingMessage.objects.count() == 0


@pytest.mark.usefixtures("wire")
def test_nothing_waits_that_others_wait_for_nor_where_much_came() -> None:
    kept, answer = DelayedAcks(), OutboundFrame(THERE, b"a message")
    assert kept.keep(broker_of("B"), [answer, *acknowledgements(1)], came=2) == [answer]
    assert kept.keep(broker_of("B"), [answer], came=1) == [answer]
    many = acknowledgements(1)
    assert kept.keep(broker_of("B"), many, came=FEW + 1) == many


def send_one() -> None:
    """Send a message from A as far as the inbox list of B."""
    conversation_send(instance="A", handles=[begun()], messages=[Message(b"x")])
    bring_to_b()


def bring_to_b() -> None:
    send_due("A")
    run(redis(), put_arrived("B", run(redis(), take_outgoing("A", ADDRESSES["B"], 1 << 30))))


def begun() -> str:
    """The handle of a new conversation from A to B."""
    named: dict[str, Any] = {"instance": "A", "database": "one", "from_service": "From", "to_service": "To"}
    return conversation_begin(**named, encryption=False).conversation_handle


def receive_at_b() -> tuple[QueuedMessage, ...]:
    return message_receive(instance="B", database="two", queue="ToQ")


def come_in(kept: DelayedAcks) -> None:
    assert not process_arrived("B", range(4), kept)


@pytest.mark.usefixtures("wire")
def test_a_worker_leaves_the_shards_that_it_has_taken_from() -> None:
    """Otherwise the next one would find them taken, and frames would wait until a lease ends."""
    for _ in range(2):
        send_one()
        come_in(DelayedAcks())
        assert redis().keys(f"{WORKERS}*") == []
    assert len([receive_at_b(), receive_at_b()]) == 2


@pytest.mark.usefixtures("wire")
@pytest.mark.parametrize("turn_s", [wake_debounce.TURN_S, 0.0], ids=["in its turn", "at the end of its turn"])
def test_a_worker_takes_what_comes_while_it_waits(turn_s: float, monkeypatch: pytest.MonkeyPatch) -> None:
    """At the end of its turn, too, it processes frames that have come with the bell: they are in no list any more."""
    send_one()
    came = run(redis(), taking("B", range(4), "the test")).frames
    run(redis(), leave_shards("B", range(4), "the test"))

    def wait(*words: Any) -> Any:
        """Wait as the worker does, while an endpoint puts the frames into the lists."""
        if came:
            shard = shard_of(came[0], 4)
            run(redis(), put("A", [(FrameList("B", shard), bundled([came.pop()])[0])], bell_of(tasks.receive)))
        return run_when_popped(*words)

    monkeypatch.setattr(arrived_lists, "run_when_popped", wait)
    monkeypatch.setattr(wake_debounce, "wake", lambda _task: True)
    monkeypatch.setattr(wake_debounce, "_do_others_wait", lambda: True)
    monkeypatch.setattr(wake_debounce, "TURN_S", turn_s)
    wake_once(tasks.receive)
    tasks.receive()
    assert len(receive_at_b()) == 1


@pytest.mark.usefixtures("wire")
def test_a_message_is_received_at_once_and_acknowledged_a_little_later() -> None:
    send_one()
    kept = DelayedAcks()
    come_in(kept)
    assert len(message_receive(instance="B", database="two", queue="ToQ")) == 1
    assert given_out() == []
    assert OutgoingMessage.objects.count() == 1
    kept.give_out()
    run(redis(), put_arrived("A", given_out()))
    assert not process_arrived("A", range(4))
    assert OutgoingMessage.objects.count() == 0


@on_postgres
@pytest.mark.usefixtures("wire")
def test_what_may_be_lost_with_the_server_is_not_acknowledged() -> None:
    send_one()
    kept, before = DelayedAcks(), broker_of("B")
    come_in(kept)
    end_connections()
    kept.give_out()
    assert given_out() == []
    assert broker_of("B") is not before  # what it has in memory may never have happened
    send_one()
    come_in(kept)
    kept.give_out()
    assert len(given_out()) == 1


@on_postgres
@pytest.mark.usefixtures("wire")
def test_who_works_on_after_the_server_has_gone_begins_anew() -> None:
    send_one()
    kept, before = DelayedAcks(), broker_of("B")
    come_in(kept)
    end_connections()
    send_one()
    come_in(kept)  # as if the network had lost the message of then
    assert broker_of("B") is not before
    send_one()
    come_in(kept)
    kept.give_out()
    assert len(given_out()) == 1


@on_postgres
@pytest.mark.usefixtures("wire")
def test_at_the_end_all_is_durable_also_what_nothing_answers() -> None:
    send_one()
    come_in(there := DelayedAcks())
    there.end()
    run(redis(), put_arrived("A", given_out()))
    kept, before = DelayedAcks(), broker_of("A")
    assert not process_arrived("A", range(4), kept)
    kept.end()
    end_connections()
    send_one()
    assert broker_of("A") is before

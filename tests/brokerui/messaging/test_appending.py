"""SEND in one statement: the messages of a conversation that this process remembers, and when it has to claim after
all. On PostgreSQL; on SQLite each SEND claims, with the same outcome."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import nullcontext
from threading import Event, Thread
from typing import Any

import pytest
from django.db import connection, connections, transaction

from brokerui.estate.selectors import estate_current
from brokerui.estate.services import estate_edit
from brokerui.messaging import clock
from brokerui.messaging.broker_cache import broker_of
from brokerui.messaging.errors import BusyError
from brokerui.messaging.exchange import outbox
from brokerui.messaging.models import ConversationEndpoint
from brokerui.messaging.services import (
    Message,
    conversation_end,
    conversation_end_with_cleanup,
    conversation_send,
    message_receive,
)
from brokerui.messaging.store import DatabaseStore, postgres_transactions
from brokerui.messaging.verbs import transactions
from brokerui.messaging.verbs.leaving import MOST
from routing.common.broker_events import ConversationEvent
from routing.common.broker_events import Event as BrokerEvent
from routing.dialog.batch import ClaimedBatch, ClaimRequest
from routing.dialog.problems import VerbError
from routing.model.edits import DropRoute
from tests.brokerui.messaging.hosted import WORKERS, Wire
from tests.brokerui.messaging.test_services import begin, bodies
from tests.brokerui.messaging.test_store import is_waited_for, on_postgres
from tests.brokerui.product import eventually

pytestmark = [pytest.mark.both_databases, pytest.mark.django_db(transaction=True)]


def send(handle: str, *texts: bytes) -> None:
    with transaction.atomic():
        conversation_send(instance="A", handles=[handle], messages=[Message(text) for text in texts])


@pytest.fixture
def claims(monkeypatch: pytest.MonkeyPatch) -> list[ClaimRequest]:
    """Each claim of a handle, as it is made."""
    made: list[ClaimRequest] = []
    claim = DatabaseStore.claim

    def noted(store: DatabaseStore, wanted: ClaimRequest, now_ms: int) -> ClaimedBatch:
        made.extend([wanted] if wanted.handles else [])
        return claim(store, wanted, now_ms)

    monkeypatch.setattr(DatabaseStore, "claim", noted)
    return made


@pytest.fixture
def handle(wire: Wire, claims: list[ClaimRequest]) -> str:
    """A conversation in which this process has sent one message."""
    begun = begin()
    send(begun, b"1")
    claims.clear()
    return begun


def is_postgres() -> bool:
    return connection.vendor == "postgresql"


def test_the_next_messages_are_sent_without_a_claim_and_arrive_in_order(
    wire: Wire, handle: str, claims: list[ClaimRequest]
) -> None:
    send(handle, b"2", b"3")
    wire.carry()
    send(handle, b"4")  # its conversation has been sent, acknowledged and pinned to its target by now
    send(handle, b"5")
    wire.carry()
    assert bodies() == [b"1", b"2", b"3", b"4", b"5"]
    assert len(claims) == (1 if is_postgres() else 3)


def without_workers(monkeypatch: pytest.MonkeyPatch) -> list[bytes]:
    """What SENDs hand over from now on: no worker sends anything."""
    handed_over: list[bytes] = []
    monkeypatch.setattr(outbox, "put", lambda _instance, frames: handed_over.extend(one.frame for one in frames))
    return handed_over


@pytest.fixture
def on_the_network(wire: Wire, handle: str, claims: list[ClaimRequest]) -> str:
    """A conversation whose peer has acknowledged all its messages, as this process remembers it."""
    wire.carry()
    for text in (b"2", b"3"):
        send(handle, text)
        wire.carry()
    claims.clear()
    return handle


@pytest.mark.parametrize("leaves", [True, False])
def test_a_conversation_with_a_message_to_send_is_among_those_that_may_wait(
    wire: Wire, on_the_network: str, claims: list[ClaimRequest], monkeypatch: pytest.MonkeyPatch, leaves: bool
) -> None:
    row = ConversationEndpoint.objects.filter(conversation_handle=on_the_network)
    row.update(may_wait=False, **({} if leaves else {"integrity": 0}))
    without_workers(monkeypatch)
    send(on_the_network, b"waits")
    assert row.get().outgoing
    assert row.get().may_wait
    assert not is_postgres() or not claims


def test_messages_leave_with_the_commit_of_their_transaction(
    wire: Wire, on_the_network: str, claims: list[ClaimRequest], monkeypatch: pytest.MonkeyPatch
) -> None:
    handed_over = without_workers(monkeypatch)
    with transaction.atomic():
        send(on_the_network, b"4")
        send(on_the_network, b"5")
        assert handed_over == []
    assert (len(handed_over), len(claims)) == (2, 0 if is_postgres() else 2)


def test_no_frame_leaves_of_a_transaction_or_savepoint_that_is_rolled_back(
    wire: Wire, on_the_network: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    handed_over = without_workers(monkeypatch)
    with transaction.atomic():
        with transaction.atomic():
            send(on_the_network, b"never")
            transaction.set_rollback(True)
        assert not connection.needs_rollback
    assert handed_over == []


def test_a_conversation_that_its_transaction_removes_tells_its_peer_nothing(
    wire: Wire, on_the_network: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    handed_over = without_workers(monkeypatch)
    with transaction.atomic():
        send(on_the_network, b"never")
        conversation_end_with_cleanup(instance="A", handle=on_the_network)
    assert handed_over == []


def test_a_send_in_no_transaction_does_not_claim_either(
    wire: Wire, on_the_network: str, claims: list[ClaimRequest], monkeypatch: pytest.MonkeyPatch
) -> None:
    def send_alone(text: bytes) -> None:
        conversation_send(instance="A", handles=[on_the_network], messages=[Message(text)])

    send_alone(b"4")  # its broker is another one: it remembers nothing yet
    claims.clear()
    wire.carry()
    handed_over = without_workers(monkeypatch)
    send_alone(b"5")
    send_alone(b"6")
    assert (len(handed_over), len(claims)) == (2, 0 if is_postgres() else 2)


def test_frames_that_are_lost_are_sent_again_by_a_worker(
    wire: Wire, on_the_network: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as lost:
        without_workers(lost)
        send(on_the_network, b"4")
    wire.carry()
    assert bodies() == [b"1", b"2", b"3"]
    later = clock.now() + 60_000
    for module in WORKERS:
        monkeypatch.setattr(f"brokerui.messaging.{module}.now", lambda: later)
    wire.carry()
    assert bodies() == [b"4"]


def test_a_transaction_that_is_rolled_back_has_sent_nothing(wire: Wire, handle: str) -> None:
    with transaction.atomic():
        send(handle, b"never")
        transaction.set_rollback(True)
    send(handle, b"2")
    send(handle, b"3")
    wire.carry()
    assert bodies() == [b"1", b"2", b"3"]


def test_what_another_process_has_sent_meanwhile_comes_first(wire: Wire, handle: str) -> None:
    for text in (b"2", b"3"):
        other = Thread(target=send_and_close, args=(handle, text))  # a thread remembers for itself
        other.start()
        other.join()
    send(handle, b"4")
    wire.carry()
    assert bodies() == [b"1", b"2", b"3", b"4"]


def send_and_close(handle: str, text: bytes) -> None:
    try:
        send(handle, text)
    finally:
        connection.close()


def of_a_worker(row: ConversationEndpoint) -> ClaimRequest:
    return ClaimRequest(conversations=((row.conversation_id, row.is_initiator),))  # no group is locked


def of_an_application(row: ConversationEndpoint) -> ClaimRequest:
    return ClaimRequest(groups=(row.conversation_group_id,))


@pytest.mark.parametrize("claim", [of_a_worker, of_an_application])
def test_a_conversation_that_another_process_holds_is_left_to_it(
    wire: Wire, handle: str, claim: Callable[[ConversationEndpoint], ClaimRequest], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(transactions, "PATIENCE_SECONDS", 0.02)
    other = broker_of("A")
    work = other.work(claim(ConversationEndpoint.objects.get(conversation_handle=handle)), clock.now())
    try:
        with pytest.raises(BusyError):
            send(handle, b"2")
    finally:
        other.release(work)  # else the tables could not be emptied after a failure
    send(handle, b"3")
    wire.carry()
    assert bodies() == [b"1", b"3"]


def test_messages_wait_behind_those_of_another_process(
    wire: Wire, on_the_network: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    handed_over = without_workers(monkeypatch)
    send(on_the_network, *[b"%d" % number for number in range(4, 4 + MOST + 1)])  # too many: a worker sends them
    send(on_the_network, b"last")
    assert handed_over == []


@on_postgres
def test_a_verb_waits_in_the_database(wire: Wire, handle: str, claims: list[ClaimRequest]) -> None:
    worker = broker_of("A")
    work = worker.work(ClaimRequest(handles=(handle,)), clock.now())
    claims.clear()
    application = Thread(target=send_and_close, args=(handle, b"2"))
    application.start()
    try:
        eventually(is_waited_for)
    finally:
        worker.release(work)
        application.join()
    assert [claim.wait_ms > 0 for claim in claims] == [False, True]
    wire.carry()
    assert bodies() == [b"1", b"2"]


@on_postgres
@pytest.mark.parametrize("around", [nullcontext, transaction.atomic], ids=["own", "callers"])
def test_a_send_waits_for_a_worker_and_claims_nothing(
    wire: Wire, handle: str, claims: list[ClaimRequest], monkeypatch: pytest.MonkeyPatch, around: Any
) -> None:
    monkeypatch.setattr(postgres_transactions, "_SEND_WAITS_MS", 60_000)
    with around():
        conversation_send(instance="A", handles=[handle], messages=[Message(b"2")])
    is_held = Event()
    worker = Thread(target=hold_until_another_waits, args=(handle, is_held))
    worker.start()
    is_held.wait()
    claims.clear()
    with around():
        conversation_send(instance="A", handles=[handle], messages=[Message(b"3")])
        assert lock_timeout() == "0"
    worker.join()
    assert not claims
    wire.carry()
    assert bodies() == [b"1", b"2", b"3"]


def lock_timeout() -> str:
    with connection.cursor() as cursor:
        cursor.execute("SHOW lock_timeout")
        return str(cursor.fetchone()[0])


def hold_until_another_waits(handle: str, is_held: Event) -> None:
    worker = broker_of("A")
    work = worker.work(ClaimRequest(handles=(handle,)), clock.now())
    is_held.set()
    try:
        eventually(is_waited_for)
    finally:
        worker.release(work)
        connections.close_all()


@on_postgres
def test_a_transaction_goes_on_after_a_send_that_waited_in_vain(
    wire: Wire, handle: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(postgres_transactions, "_SEND_WAITS_MS", 20)
    monkeypatch.setattr(transactions, "PATIENCE_SECONDS", 0.02)
    another = begin()
    other = broker_of("A")
    with transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute("SET LOCAL lock_timeout = '7s'")
        send(another, b"before")
        work = other.work(ClaimRequest(handles=(handle,)), clock.now())
        try:
            with pytest.raises(BusyError):
                send(handle, b"2")
        finally:
            other.release(work)
        send(handle, b"3")
        assert lock_timeout() == "7s"
    wire.carry()
    assert sorted(bodies() + bodies()) == [b"1", b"3", b"before"]


def test_an_edited_estate_is_followed(wire: Wire, handle: str, claims: list[ClaimRequest]) -> None:
    estate_edit(edits=[DropRoute("A", "one", "to")], base_version=estate_current().version, author="test")
    send(handle, b"2")
    assert claims


def test_a_conversation_that_has_ended_refuses_the_message(wire: Wire, handle: str) -> None:
    wire.carry()
    (message,) = message_receive(instance="B", database="two", queue="ToQ")
    conversation_end(instance="B", handle=message.conversation_handle)
    wire.carry()
    with pytest.raises(VerbError) as raised:
        send(handle, b"2")
    assert raised.value.number == 8429


def test_a_message_type_that_the_contract_does_not_have_is_refused(wire: Wire, handle: str) -> None:
    with pytest.raises(VerbError) as raised, transaction.atomic():
        conversation_send(instance="A", handles=[handle], messages=[Message(b"2", "no such type")])
    assert raised.value.number == 8428
    send(handle, b"2")
    wire.carry()
    assert bodies() == [b"1", b"2"]


def test_each_message_is_an_event_with_its_number(wire: Wire, handle: str, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[Any] = []

    class Recorder:
        def note(self, instance: str, events: Sequence[tuple[int, BrokerEvent]]) -> None:
            seen.extend(event for _, event in events)

    monkeypatch.setattr(outbox, "_recorders", [Recorder()])
    send(handle, b"2")
    send(handle, b"3")
    sent = [one.message_sequence_number for one in seen if isinstance(one, ConversationEvent)]
    assert sent == [1, 2]

"""RECEIVE on one way to the database, and when it has to claim after all. On SQLite each RECEIVE claims, with the same
outcome."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from threading import Thread

import pytest
from django.db import connection, transaction

from brokerui.messaging import clock
from brokerui.messaging.broker_cache import broker_of
from brokerui.messaging.exchange import outbox
from brokerui.messaging.leases.selectors import has_messages
from brokerui.messaging.leases.services import lease_make, lease_roll_back
from brokerui.messaging.models import HostedInstance
from brokerui.messaging.services import message_reception, queue_set_status
from brokerui.messaging.store import DatabaseStore
from routing.common.broker_events import Event, MessagesReceived
from routing.dialog.batch import ClaimedBatch, ClaimRequest, ReceiveRequest
from routing.dialog.messages import QueuedMessage
from routing.dialog.problems import VerbError
from tests.brokerui.messaging.hosted import Wire
from tests.brokerui.messaging.test_poison import known
from tests.brokerui.messaging.test_retention import retained, set_retention
from tests.brokerui.messaging.test_services import begin, receive, send

pytestmark = [pytest.mark.both_databases, pytest.mark.django_db(transaction=True)]
QUEUE = ("two", "ToQ")


class Crash(Exception):
    """What an application does."""


@pytest.fixture
def claims(monkeypatch: pytest.MonkeyPatch) -> list[ClaimRequest]:
    """Each claim of a RECEIVE, as it is made."""
    made: list[ClaimRequest] = []
    claim = DatabaseStore.claim

    def noted(store: DatabaseStore, wanted: ClaimRequest, now_ms: int) -> ClaimedBatch:
        made.extend([wanted] if wanted.receive else [])
        return claim(store, wanted, now_ms)

    monkeypatch.setattr(DatabaseStore, "claim", noted)
    return made


@pytest.fixture
def handle(wire: Wire, claims: list[ClaimRequest]) -> str:
    """A conversation; this process has received a message of it in a transaction, and another one outside of any."""
    begun = begin()
    come(wire, begun, b"0", b"1")
    with transaction.atomic():
        assert texts(receive(top=1)) == [b"0"]
    assert texts(receive()) == [b"1"]
    claims.clear()
    return begun


def come(wire: Wire, handle: str, *bodies: bytes) -> None:
    for body in bodies:
        send(handle, body)
    wire.carry()


def texts(messages: Sequence[QueuedMessage]) -> list[bytes | None]:
    return [message.message_body for message in messages]


def is_claimed(claims: list[ClaimRequest]) -> bool:
    """Whether a RECEIVE has claimed since this was asked last, which it always does on SQLite."""
    made, claims[:] = bool(claims), []
    return made and connection.vendor == "postgresql"


@pytest.mark.parametrize("in_transaction", [False, True])
def test_messages_are_received_in_order_without_a_claim(
    wire: Wire, handle: str, claims: list[ClaimRequest], in_transaction: bool
) -> None:
    come(wire, handle, b"2", b"3", b"4")
    received = []
    for top in (2, None, None):
        if in_transaction:
            with transaction.atomic():
                received.append(texts(receive(top=top)))
        else:
            received.append(texts(receive(top=top)))
    assert received == [[b"2", b"3"], [b"4"], []]
    assert not is_claimed(claims)
    assert depth() == 0


def depth() -> int:
    return broker_of("B").store.depth(QUEUE).messages


def test_what_is_rolled_back_is_received_again(wire: Wire, handle: str, claims: list[ClaimRequest]) -> None:
    come(wire, handle, b"2")
    for _ in range(2):
        with suppress(Crash), transaction.atomic():
            assert texts(receive()) == [b"2"]
            raise Crash
    assert depth() == 1
    assert texts(receive()) == [b"2"]
    assert not is_claimed(claims)


def test_a_receive_from_another_queue_takes_nothing_of_the_group_before(wire: Wire, handle: str) -> None:
    """One transaction has a group, and looks into a queue of the same instance that is empty."""
    come(wire, handle, b"2", b"3")
    with transaction.atomic():
        assert texts(receive(top=1)) == [b"2"]
        broker = broker_of("B", in_transaction=True)
        batch = broker.take(ReceiveRequest(("two", "another queue")), clock.now())
        assert batch is None or not batch.received
    assert depth() == 1
    assert texts(receive()) == [b"3"]


def test_the_settings_of_the_callers_transaction_stay(wire: Wire, handle: str) -> None:
    if connection.vendor != "postgresql":
        return
    come(wire, handle, b"2")
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SET LOCAL plan_cache_mode = force_custom_plan")
        assert texts(receive()) == [b"2"]
        cursor.execute("SELECT current_setting('enable_seqscan'), current_setting('plan_cache_mode')")
        assert cursor.fetchone() == ("on", "force_custom_plan")


def test_rollbacks_are_counted_and_forgotten_with_a_commit(wire: Wire, handle: str) -> None:
    come(wire, handle, b"2")
    for _ in range(2):
        with suppress(Crash), message_reception():
            assert texts(receive()) == [b"2"]
            raise Crash
    assert known() == (False, 2)
    with message_reception():
        assert texts(receive()) == [b"2"]
    assert known() == (False, 0)


def test_a_queue_that_another_process_has_switched_off_refuses(
    wire: Wire, handle: str, claims: list[ClaimRequest]
) -> None:
    come(wire, handle, b"2")
    elsewhere_set_status(is_on=False)
    with pytest.raises(VerbError) as raised:
        receive()
    assert raised.value.number == 9617
    assert depth() == 1
    elsewhere_set_status(is_on=True)
    assert texts(receive()) == [b"2"]
    assert claims, "it has read the state of the instance again"


def elsewhere_set_status(*, is_on: bool) -> None:
    """Another thread remembers for itself."""

    def work() -> None:
        try:
            queue_set_status(instance="B", database="two", queue="ToQ", is_on=is_on)
        finally:
            connection.close()

    other = Thread(target=work)
    other.start()
    other.join()


def test_a_queue_that_retains_keeps_what_is_received(wire: Wire, handle: str) -> None:
    come(wire, handle, b"2", b"3")
    set_retention(True, "B")
    assert texts(receive(top=1)) == [b"2"]
    assert texts(receive(top=1)) == [b"3"]
    assert retained("B") == [(0, b"2"), (0, b"3")]


def test_a_leased_group_is_passed(wire: Wire, handle: str) -> None:
    come(wire, handle, b"2")
    leased = lease_make(instance="B", request=ReceiveRequest(QUEUE), owner="me", lease_ms=60_000)
    assert leased is not None
    assert receive() == ()
    lease_roll_back(receipt=leased.receipt, owner="me")
    assert texts(receive()) == [b"2"]


def test_a_group_that_another_transaction_has_is_passed(wire: Wire, handle: str) -> None:
    second = begin()
    come(wire, handle, b"2")
    come(wire, second, b"other")
    holder = broker_of("B")
    work = holder.work(ClaimRequest(receive=ReceiveRequest(QUEUE)), clock.now())
    try:
        assert texts(work.batch.received) == [b"2"]
        assert texts(receive()) == [b"other"]
        assert receive() == ()
    finally:
        holder.release(work)
    assert texts(receive()) == [b"2"]
    assert not has_messages(HostedInstance.objects.get(name="B").id, QUEUE)


def test_a_conversation_that_is_not_there_is_refused(wire: Wire, handle: str) -> None:
    assert receive(conversation_group_id="nowhere") == ()
    with pytest.raises(VerbError) as raised:
        receive(conversation_handle="nowhere")
    assert raised.value.number == 8426


def test_the_messages_are_an_event(wire: Wire, handle: str, monkeypatch: pytest.MonkeyPatch) -> None:
    come(wire, handle, b"22", b"3")
    seen: list[Event] = []

    class Recorder:
        def note(self, instance: str, events: Sequence[tuple[int, Event]]) -> None:
            seen.extend(event for _, event in events if instance == "B")

    monkeypatch.setattr(outbox, "_recorders", [Recorder()])
    received = receive()
    assert [type(event) for event in seen] == [MessagesReceived]
    (event,) = seen
    assert isinstance(event, MessagesReceived)
    assert (event.conversation_handle, event.messages, event.size) == (received[0].conversation_handle, 2, 3)

"""Messages that arrive in a conversation that the worker recalls, and what applications do to it meanwhile. On SQLite
each batch claims, with the same outcome."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress

import pytest
from django.db import connection, transaction

from brokerui.messaging.models import HostedInstance, QueueMessage
from brokerui.messaging.services import (
    Message,
    conversation_end,
    conversation_send,
    conversation_timer_start,
    queue_set_status,
)
from brokerui.messaging.store import DatabaseStore
from routing.dialog.batch import ClaimedBatch, ClaimRequest
from tests.brokerui.messaging.hosted import Wire
from tests.brokerui.messaging.test_services import begin, receive, send
from tests.brokerui.messaging.test_taking import Crash, texts

pytestmark = [pytest.mark.both_databases, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def claims(monkeypatch: pytest.MonkeyPatch) -> list[ClaimRequest]:
    """Each claim for frames that have arrived at B, as it is made."""
    made: list[ClaimRequest] = []
    claim = DatabaseStore.claim

    def noted(store: DatabaseStore, wanted: ClaimRequest, now_ms: int) -> ClaimedBatch:
        is_its = bool(wanted.conversations) and store.instance == HostedInstance.objects.get(name="B").id
        made.extend([wanted] if is_its else [])
        return claim(store, wanted, now_ms)

    monkeypatch.setattr(DatabaseStore, "claim", noted)
    return made


class Conversation:
    """One from A to B."""

    def __init__(self, wire: Wire, claims: list[ClaimRequest]) -> None:
        self.wire, self.claims = wire, claims
        self.handle = begin()
        self.sent = 0

    def come(self) -> int:
        """The next message arrives; returns the claims of that."""
        send(self.handle, b"%d" % self.sent)
        self.sent += 1
        self.claims.clear()
        self.wire.carry()
        return len(self.claims)


@pytest.fixture
def conversation(wire: Wire, claims: list[ClaimRequest]) -> Conversation:
    """Three messages have come: the next one is recalled."""
    begun = Conversation(wire, claims)
    assert [begun.come() for _ in range(3)] == [1, 1, 1]
    return begun


def is_postgres() -> bool:
    return connection.vendor == "postgresql"


def test_messages_come_without_a_claim_once_the_conversation_is_as_it_was_left(conversation: Conversation) -> None:
    assert [conversation.come() for _ in range(3)] == [0 if is_postgres() else 1] * 3
    assert texts(receive()) == [b"%d" % number for number in range(6)]


def answer(handle: str) -> None:
    conversation_send(instance="B", handles=[handle], messages=[Message(b"answer")])


def start_timer(handle: str) -> None:
    conversation_timer_start(instance="B", handle=handle, timeout_s=600)


@pytest.mark.parametrize("change", [answer, start_timer])
def test_what_an_application_has_changed_meanwhile_stays(
    conversation: Conversation, change: Callable[[str], None]
) -> None:
    conversation.come()
    *_, last = receive()
    with transaction.atomic():
        change(last.conversation_handle)
    assert conversation.come() >= 1
    conversation.wire.carry()
    assert texts(receive()) == [b"4"]
    answered = receive("A")
    assert texts(answered) == ([b"answer"] if change is answer else [])


def test_what_an_application_has_rolled_back_changes_nothing(conversation: Conversation) -> None:
    conversation.come()
    *_, last = receive()
    with suppress(Crash), transaction.atomic():
        answer(last.conversation_handle)
        raise Crash
    assert conversation.come() == (0 if is_postgres() else 1)
    assert texts(receive()) == [b"4"]


def test_a_queue_that_was_switched_off_meanwhile_takes_nothing(conversation: Conversation) -> None:
    receive()
    with transaction.atomic():
        queue_set_status(instance="B", database="two", queue="ToQ", is_on=False)
    conversation.come()
    assert not QueueMessage.objects.exists()
    queue_set_status(instance="B", database="two", queue="ToQ", is_on=True)
    conversation.wire.carry()
    assert texts(receive()) == [b"3"]


def test_a_conversation_that_its_receiver_has_ended_takes_nothing(conversation: Conversation) -> None:
    *_, last = receive()
    send(conversation.handle, b"late")
    conversation_end(instance="B", handle=last.conversation_handle)
    conversation.wire.carry()
    assert receive() == ()


def test_a_message_comes_while_a_transaction_has_its_conversation_and_is_there_after_it(
    conversation: Conversation, monkeypatch: pytest.MonkeyPatch
) -> None:
    conversation.come()
    *_, last = receive()
    if is_postgres():  # on SQLite its transaction has the only write lock, too
        with transaction.atomic():
            conversation_send(instance="B", handles=[last.conversation_handle], messages=[Message(b"answer")])
            conversation.come()
            assert receive() == ()
    later = conversation.wire
    monkeypatch.setattr("routing.runtime.broker.POSTPONED_RETRY_MS", 0)
    later.carry()
    conversation.come()
    later.carry()
    assert texts(receive())[-1] == b"%d" % (conversation.sent - 1)

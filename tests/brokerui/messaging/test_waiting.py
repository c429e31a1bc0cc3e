"""A RECEIVE that waits inside an application's transaction: others send meanwhile, on SQLite too."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from threading import Thread
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import OperationalError, connection, transaction
from django.db.transaction import TransactionManagementError

from brokerui.messaging.errors import WriteLockHeldError
from brokerui.messaging.queue_address import QueueAddress
from brokerui.messaging.services import conversation_group_get, message_reception
from tests.brokerui.messaging.hosted import Wire
from tests.brokerui.messaging.test_services import begin, receive, send

PATIENCE_S = 60
"""After which another application counts as kept from sending, in seconds."""
pytestmark = [pytest.mark.both_databases, pytest.mark.django_db(transaction=True)]


def sends_while_waiting(monkeypatch: pytest.MonkeyPatch, wire: Wire, handle: str) -> list[Exception]:
    """Another application sends as soon as a receive waits; gives what kept it from that."""
    failures: list[Exception] = []

    def attempt() -> None:
        try:
            send(handle, b"1")
            wire.carry()
        except Exception as error:  # noqa: BLE001 - the test looks at it
            failures.append(error)
        finally:
            connection.close()

    def pause(_place: QueueAddress, _seconds: float) -> None:
        other = Thread(target=attempt, daemon=True)
        other.start()
        other.join(PATIENCE_S)
        if other.is_alive():
            failures.append(TimeoutError("the other application is kept waiting"))

    monkeypatch.setattr("brokerui.messaging.waiting.wait_for_notification", pause)
    return failures


@pytest.mark.parametrize("scope", [message_reception, transaction.atomic])
def test_another_application_sends_while_a_transaction_waits(
    wire: Wire, monkeypatch: pytest.MonkeyPatch, scope: Callable[[], Any]
) -> None:
    failures = sends_while_waiting(monkeypatch, wire, begin())
    with scope():
        assert [message.message_body for message in receive(wait_s=5)] == [b"1"]
        assert failures == []
    assert receive() == (), "it was committed"


def test_a_wait_for_a_conversation_group_keeps_nobody_from_sending(wire: Wire, monkeypatch: pytest.MonkeyPatch) -> None:
    failures = sends_while_waiting(monkeypatch, wire, begin())
    with message_reception():
        group = conversation_group_get(instance="B", database="two", queue="ToQ", wait_s=5)
        assert (group is not None, failures) == (True, [])
        assert len(receive(conversation_group_id=group)) == 1


def test_what_was_received_after_a_wait_is_rolled_back_with_the_transaction(
    wire: Wire, monkeypatch: pytest.MonkeyPatch
) -> None:
    sends_while_waiting(monkeypatch, wire, begin())
    with suppress(KeyError), transaction.atomic():
        assert len(receive(wait_s=5)) == 1
        raise KeyError
    assert len(receive()) == 1


def test_savepoints_outlive_the_wait(wire: Wire, monkeypatch: pytest.MonkeyPatch) -> None:
    sends_while_waiting(monkeypatch, wire, begin())
    with transaction.atomic():
        with suppress(KeyError), transaction.atomic():
            assert len(receive(wait_s=5)) == 1
            raise KeyError
        assert len(receive()) == 1, "the inner transaction gave it back"


def test_a_transaction_that_has_written_is_refused_on_sqlite_whether_or_not_messages_are_there(wire: Wire) -> None:
    handle = begin()
    for _ in range(2):
        with transaction.atomic():
            User.objects.create(username="ann")
            if connection.vendor == "sqlite":
                with pytest.raises(WriteLockHeldError, match="commit before this receive"):
                    receive(wait_s=0.01)
            else:
                receive(wait_s=0.01)
            transaction.set_rollback(True)
        send(handle, b"1")
        wire.carry()
    with transaction.atomic():
        User.objects.create(username="ann")
        assert len(receive()) >= 1, "without waiting it may have written"


def test_a_changed_table_is_a_write_too(wire: Wire) -> None:
    with transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute("CREATE TABLE made_here (id integer)")
        if connection.vendor == "sqlite":
            with pytest.raises(WriteLockHeldError):
                receive(wait_s=0.01)
        transaction.set_rollback(True)


def test_nothing_runs_outside_of_a_transaction_that_could_not_begin_again(
    wire: Wire, monkeypatch: pytest.MonkeyPatch
) -> None:
    if connection.vendor != "sqlite":
        return  # its transactions do not end while they wait

    def fail() -> None:
        raise OperationalError("database is locked")

    def go_on_regardless() -> None:
        with transaction.atomic():
            monkeypatch.setattr(connection, "_begin_again", fail)
            with suppress(OperationalError):
                receive(wait_s=1)  # longer than a look into the queue takes
            User.objects.create(username="ann")

    with pytest.raises(TransactionManagementError):
        go_on_regardless()
    monkeypatch.undo()
    assert not User.objects.filter(username="ann").exists()

"""A RECEIVE that waits inside an application's transaction: others send meanwhile, on SQLite too."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import OperationalError, connection, transaction
from django.db.transaction import TransactionManagementError

from brokerui.core.home import CHECKOUT
from brokerui.messaging.errors import WriteLockHeldError
from brokerui.messaging.queue_address import QueueAddress
from brokerui.messaging.services import conversation_group_get, message_reception
from tests.brokerui.messaging.hosted import Wire
from tests.brokerui.messaging.test_services import begin, receive, send
from tests.brokerui.product import command, environment, free_port

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


# ---------------------------------------------------------------- two processes, on a database of their own
SCRIPT = """
USE one
GO
CREATE QUEUE FromQ
CREATE SERVICE [From] ON QUEUE FromQ
CREATE QUEUE ToQ
CREATE SERVICE [To] ON QUEUE ToQ ([DEFAULT])
"""
RECEIVER = """
import sys
import django
django.setup()
from brokerui.messaging.services import message_receive, message_reception
from brokerui.messaging import waiting
wait = waiting.wait_for_notification
def note(*given):
    print("waits", flush=True)
    wait(*given)
waiting.wait_for_notification = note
with message_reception():
    messages = message_receive(instance="H", database="one", queue="dbo.ToQ", wait_s=120)
print([message.message_body for message in messages])
"""


@pytest.fixture
def hosting(tmp_path: Path) -> Path:
    """A home with the instance H, and no worker."""
    address = f"tcp://127.0.0.1:{free_port()}"
    (tmp_path / "h.sql").write_text(SCRIPT)
    migrate = [sys.executable, "manage.py", "migrate", "--verbosity=0"]
    subprocess.run(migrate, cwd=CHECKOUT, env=environment(tmp_path), check=True)
    words = (
        ("host", "H", "--listen", address, "--database", "one"),
        ("estate", "import", "--into", f"H@{address}={tmp_path}/h.sql"),
    )
    for each in words:
        assert command(tmp_path, *each).returncode == 0
    return tmp_path


@pytest.mark.slow
def test_a_process_sends_while_another_waits_in_a_transaction(hosting: Path) -> None:
    program = [sys.executable, "-c", RECEIVER]
    with subprocess.Popen(
        program, cwd=CHECKOUT, env=environment(hosting), stdout=subprocess.PIPE, text=True
    ) as receiver:
        assert receiver.stdout is not None
        assert receiver.stdout.readline() == "waits\n"
        sent = command(hosting, "send", "--from", "H/one", "--service", "From", "--to", "To", "--size", "8")
        assert (sent.returncode, sent.stderr) == (0, "")
        *_, last = receiver.stdout.read().splitlines()
    assert last.startswith("[b'")


@pytest.mark.slow
def test_a_process_sends_while_nobody_reads_what_another_has_received(hosting: Path) -> None:
    """A pipe holds 64 KiB: the command waits for its reader in the middle of a line."""
    sending = ("send", "--from", "H/one", "--service", "From", "--to", "To", "--size")
    assert command(hosting, *sending, "200000").returncode == 0
    receive = [sys.executable, "-m", "brokerui.cli.main", "receive", "H/one/dbo.ToQ"]
    with subprocess.Popen(receive, cwd=CHECKOUT, env=environment(hosting), stdout=subprocess.PIPE) as receiver:
        assert receiver.stdout is not None
        assert receiver.stdout.read(1) == b"{"
        sent = command(hosting, *sending, "8")
        assert (sent.returncode, sent.stderr) == (0, "")
        assert receiver.poll() is None, "it is still waiting"
        first = json.loads(b"{" + receiver.stdout.read())
    assert receiver.returncode == 0
    (second,) = map(json.loads, command(hosting, "receive", "H/one/dbo.ToQ").stdout.splitlines())
    assert (len(first["message_body"]), len(second["message_body"])) == (266668, 12)
    assert command(hosting, "receive", "H/one/dbo.ToQ").stdout == ""

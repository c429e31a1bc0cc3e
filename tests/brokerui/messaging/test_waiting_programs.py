"""A receive of one program that waits, for messages or for its reader, keeps another from nothing."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from brokerui.core.home import CHECKOUT
from tests.brokerui.homes import MakeHome
from tests.brokerui.product import done, environment, free_port

SCRIPT = """
USE one
GO
CREATE QUEUE FromQ
CREATE SERVICE [From] ON QUEUE FromQ
CREATE QUEUE ToQ
CREATE SERVICE [To] ON QUEUE ToQ ([DEFAULT])
"""
RECEIVE = ("receive", "H/one/dbo.ToQ")
RECEIVER = """
from brokerui.core.start import django_ready; django_ready()
from brokerui.messaging.services import message_receive, message_reception
from brokerui.messaging import waiting
wait = waiting.wait_for_notification
def note(*given):
    print("waits", flush=True)
    wait(*given)
waiting.wait_for_notification = note
with message_reception():
    messages = message_receive(instance="H", database="one", queue="dbo.ToQ", wait_s=120)
print([len(message.message_body) for message in messages])
"""


@pytest.fixture
def hosting(tmp_path: Path, make_home: MakeHome) -> Path:
    """A home with the instance H, and no worker."""
    address = f"tcp://127.0.0.1:{free_port()}"
    (tmp_path / "h.sql").write_text(SCRIPT)
    import_it = ("estate", "import", "--into", f"H@{address}={tmp_path}/h.sql")
    done(make_home(tmp_path), ("host", "H", "--listen", address, "--database", "one"), import_it)
    return tmp_path


def send(home: Path, size: int) -> None:
    done(home, ("send", "--from", "H/one", "--service", "From", "--to", "To", "--size", str(size)))


@pytest.mark.slow
def test_a_process_sends_while_another_waits_in_a_transaction_or_for_its_reader(hosting: Path) -> None:
    """A pipe holds 64 KiB: the command waits for its reader in the middle of a line."""
    words = [sys.executable, "-c", RECEIVER]
    with subprocess.Popen(words, cwd=CHECKOUT, env=environment(hosting), stdout=subprocess.PIPE, text=True) as waiter:
        assert waiter.stdout is not None
        assert waiter.stdout.readline() == "waits\n"
        send(hosting, 8)
        *_, last = waiter.stdout.read().splitlines()
    assert last == "[8]"
    send(hosting, 200_000)
    receive = [sys.executable, "-m", "brokerui.cli.main", "receive", "H/one/dbo.ToQ"]
    with subprocess.Popen(receive, cwd=CHECKOUT, env=environment(hosting), stdout=subprocess.PIPE) as receiver:
        assert receiver.stdout is not None
        assert receiver.stdout.read(1) == b"{"
        send(hosting, 8)
        assert receiver.poll() is None, "it is still waiting"
        first = json.loads(b"{" + receiver.stdout.read())
    assert receiver.returncode == 0
    (second,) = map(json.loads, done(hosting, RECEIVE, RECEIVE).splitlines())
    assert (len(first["message_body"]), len(second["message_body"])) == (266668, 12)

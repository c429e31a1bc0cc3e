"""The whole product, ended in the middle of its work: within seconds, and nothing that was begun is lost or doubled."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from threading import Event, Thread

import pytest

from brokerui.running.supervisor import GRACE_S
from tests.brokerui.homes import MakeHome
from tests.brokerui.product import Product, done, eventually, free_port, running

pytestmark = pytest.mark.slow

# The supervisor's grace and, on a busy machine, what it takes to say so.
STOP_SECONDS = GRACE_S + 30
SECONDS = 300
COUNT = 120
"""Messages of each of the two conversations."""
HERE = """
USE one
GO
CREATE QUEUE FromQ
CREATE SERVICE [From] ON QUEUE FromQ
CREATE ROUTE r WITH SERVICE_NAME = 'To', ADDRESS = 'tcp://127.0.0.1:{there}'
"""
THERE = """
USE two
GO
CREATE QUEUE ToQ
CREATE SERVICE [To] ON QUEUE ToQ ([DEFAULT])
CREATE ROUTE r WITH SERVICE_NAME = 'From', ADDRESS = 'tcp://127.0.0.1:{here}'
"""
SECRETS = {
    "BROKERUI_ADMIN_PASSWORD": "first-password-of-the-test",
    "SECRET_KEY": "signs-cookies-of-the-test-0123456789-0123456789-0123456789",
    "KEYS_SECRET": "opens-private-keys-of-the-test-0123456789",
}


def host_two(home: Path) -> None:
    """Instances A and B, which talk over TCP."""
    here, there = free_port(), free_port()
    commands: list[Sequence[str]] = []
    for name, port, database, script in (("A", here, "one", HERE), ("B", there, "two", THERE)):
        address = f"tcp://127.0.0.1:{port}"
        file = home / f"{name}.sql"
        file.write_text(script.format(here=here, there=there))
        commands.append(("host", name, "--listen", address, "--database", database))
        commands.append(("estate", "import", "--into", f"{name}@{address}={file}"))
    done(home, *commands, **SECRETS)


@pytest.fixture
def load(tmp_path: Path, make_home: MakeHome) -> Iterator[tuple[Path, Event]]:
    """A client that sends all the time, once the event is set."""
    home, begun, threads = make_home(tmp_path), Event(), []

    def send() -> None:
        begun.wait(SECONDS)
        words = ("send", "--from", "A/one", "--service", "From", "--to", "To", "--count", str(COUNT), "--size", "1K")
        done(home, words, **SECRETS)

    for _ in range(2):
        threads.append(Thread(target=send))
        threads[-1].start()
    yield home, begun
    begun.set()
    for thread in threads:
        thread.join(SECONDS)


def received(home: Path, times: int = 1, wait_ms: int = 0) -> list[tuple[str, int]]:
    """The messages that some receives of one process find, each of one conversation."""
    command = ("receive", "B/two/dbo.ToQ", *(("--wait", str(wait_ms)) if wait_ms else ()))
    lines = map(json.loads, done(home, *[command] * times, **SECRETS).splitlines())
    return [(line["conversation_handle"], line["message_sequence_number"]) for line in lines]


def stopped(product: Product) -> float:
    began = time.monotonic()
    assert product.stop() == 0
    return time.monotonic() - began


@pytest.mark.thorough("messaging/products kills each process under load, and looks into the logs")
def test_ended_under_load_it_ends_soon_and_loses_nothing(load: tuple[Path, Event]) -> None:
    home, begun = load
    with running(home, DEMO="0", LOG_FORMAT="json", **SECRETS) as product:
        host_two(home)
        begun.set()
        # In the middle of it: some has come, not all.
        came = eventually(lambda: received(home, wait_ms=30_000), SECONDS)
        assert stopped(product) < STOP_SECONDS
        assert product.complained == []
    with running(home, DEMO="0", LOG_FORMAT="json", **SECRETS) as product:

        def has_all() -> bool:
            came.extend(received(home, 5, 5_000))
            return len(came) >= 2 * COUNT

        eventually(has_all, SECONDS)
        assert received(home) == []
        assert stopped(product) < STOP_SECONDS
    for handle in {handle for handle, _ in came}:
        assert [number for one, number in came if one == handle] == list(range(COUNT))
    assert len(came) == 2 * COUNT
    _reads_well(home)


def _reads_well(home: Path) -> None:
    """What the processes have said: each line an object, and no secret in any file."""
    logs = "\n".join(file.read_text(errors="replace") for file in home.glob("log/*"))
    for line in (home / "log" / "all.log").read_text().splitlines():
        assert json.loads(line)["process"]
    assert not [name for name, secret in SECRETS.items() if secret in logs]
    assert "Traceback" not in logs

"""Two deployments on one machine, each with all its processes, exchange messages: once, in order, whatever dies."""

from __future__ import annotations

import base64
import json
import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.brokerui.product import Product, command, eventually, free_port, running

pytestmark = pytest.mark.slow

AT_ONCE = 20
"""Messages of one command."""
SECONDS = 400
"""Two retry periods, on a machine that does other things too."""

FROM = """
USE one
GO
CREATE QUEUE FromQ
CREATE SERVICE [From] ON QUEUE FromQ
CREATE ROUTE r WITH SERVICE_NAME = 'To', ADDRESS = 'tcp://127.0.0.1:{there}'
"""
TO = """
USE two
GO
CREATE QUEUE ToQ
CREATE SERVICE [To] ON QUEUE ToQ ([DEFAULT])
CREATE ROUTE r WITH SERVICE_NAME = 'From', ADDRESS = 'tcp://127.0.0.1:{there}'
"""


def done(home: Path, *words: str) -> str:
    """What a command says that has to succeed."""
    ended = command(home, *words)
    assert ended.returncode == 0, (words, ended.stdout, ended.stderr)
    return ended.stdout


def host(home: Path, name: str, database: str, script: str, here: int, there: int) -> None:
    address = f"tcp://127.0.0.1:{here}"
    done(home, "host", name, "--listen", address, "--database", database)
    file = home / "objects.sql"
    file.write_text(script.format(there=there))
    done(home, "estate", "import", "--into", f"{name}@{address}={file}")


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Product, Product]]:
    homes = tmp_path_factory.mktemp("a"), tmp_path_factory.mktemp("b")
    with running(homes[0], DEMO="0") as first, running(homes[1], DEMO="0") as second:
        ports = free_port(), free_port()
        host(homes[0], "A", "one", FROM, *ports)
        host(homes[1], "B", "two", TO, *reversed(ports))
        yield first, second


def send(product: Product, *words: str) -> str:
    """Some messages; the handle of their conversation."""
    result = done(product.home, "send", "--from", "A/one", *words, "--count", str(AT_ONCE), "--size", "1K")
    return str(json.loads(result)["conversation_handle"])


def received(product: Product, *words: str) -> list[dict[str, Any]]:
    lines = done(product.home, "receive", "B/two/dbo.ToQ", *words).splitlines()
    return [json.loads(line) for line in lines]


def test_messages_arrive_once_and_in_order_though_every_process_is_killed(both: tuple[Product, Product]) -> None:
    first, second = both
    handle = send(first, "--service", "From", "--to", "To")
    for name in ("worker", "endpoint", "valkey", "beat", "web"):
        for product in both:
            os.kill(product.pids()[name], signal.SIGKILL)
        send(first, "--conversation", handle)
    numbers: list[int] = []

    def has_all() -> bool:
        for message in received(second, "--wait", "5000"):
            assert len(base64.b64decode(message["message_body"])) == 1024
            numbers.append(message["message_sequence_number"])
        return len(numbers) >= 6 * AT_ONCE

    eventually(has_all, SECONDS)
    assert numbers == list(range(6 * AT_ONCE))
    assert received(second) == []


def test_a_command_that_cannot_be_done_says_why(both: tuple[Product, Product]) -> None:
    first, _ = both
    for words, expected in (
        (["send", "--from", "A/one", "--service", "Nobody", "--to", "To", "--size", "1"], "8423"),
        (["send", "--from", "A/none", "--service", "From", "--to", "To", "--size", "1"], 'no database "none"'),
        (["send", "--from", "Z/one", "--service", "From", "--to", "To", "--size", "1"], "not hosted"),
        (["receive", "A/one/dbo.None"], 'no queue "dbo.None"'),
    ):
        ended = command(first.home, *words)
        assert (ended.returncode, ended.stdout) == (4, ""), words
        assert expected in ended.stderr
        assert ended.stderr.count("\n") == 1

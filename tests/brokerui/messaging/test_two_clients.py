"""Two programs share a queue; one is killed in the middle of a batch. Nothing is lost, doubled, or out of order."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from brokerui.client import Client
from brokerui.core.home import CHECKOUT
from tests.brokerui.product import Product, command, environment, eventually, free_port, running

pytestmark = pytest.mark.slow

CONVERSATIONS, MESSAGES = 8, 6
SCRIPT = """
USE db
GO
CREATE QUEUE FromQ
CREATE SERVICE [From] ON QUEUE FromQ
CREATE QUEUE ToQ
CREATE SERVICE [To] ON QUEUE ToQ ([DEFAULT])
"""
TOKEN = """
import django
django.setup()
from django.contrib.auth.models import User
from brokerui.accounts.services import token_create
print(token_create(user=User.objects.first(), name="clients")[1])
"""
CONSUMER = """
import json, sys, time
from brokerui.client import Client
site, token, file, batches = sys.argv[1:]
left = int(batches)
with Client(site, token=token) as client, open(file, "a") as record:
    while True:
        with client.receive(instance="H", database="db", queue="dbo.ToQ", top=2, wait_s=6, lease_s=3) as batch:
            at = time.monotonic()
            if not batch:
                break
            left -= 1
            if left == 0:
                print("in the middle", flush=True)
                time.sleep(1000)
        for message in batch:
            record.write(json.dumps([at, message.conversation_handle, message.message_sequence_number]) + "\\n")
        record.flush()
"""


@pytest.fixture(scope="module")
def product(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Product]:
    home = tmp_path_factory.mktemp("clients")
    with running(home, DEMO="0", API_RATE_USER="100000/min") as started:
        address = f"tcp://127.0.0.1:{free_port()}"
        script = home / "objects.sql"
        script.write_text(SCRIPT)
        for words in (
            ("host", "H", "--listen", address, "--database", "db"),
            ("estate", "import", "--into", f"H@{address}={script}"),
        ):
            ended = command(home, *words)
            assert ended.returncode == 0, ended.stderr
        yield started


@pytest.fixture
def access(product: Product) -> tuple[str, str]:
    """The site, and a token."""
    made = subprocess.run(
        [sys.executable, "-c", TOKEN],
        cwd=CHECKOUT,
        env=environment(product.home),
        capture_output=True,
        text=True,
        check=True,
    )
    return f"http://127.0.0.1:{product.port}", made.stdout.strip()


def consumer(access: tuple[str, str], file: Path, batches: int) -> subprocess.Popen[str]:
    """A program of its own, that stops in the middle of its last batch; 0: it goes on."""
    words = [sys.executable, "-c", CONSUMER, *access, str(file), str(batches)]
    return subprocess.Popen(words, cwd=CHECKOUT, stdout=subprocess.PIPE, text=True)


def test_what_one_has_not_committed_the_other_receives(access: tuple[str, str], tmp_path: Path) -> None:
    with Client(access[0], token=access[1]) as client:
        for number in range(CONVERSATIONS):
            dialog = client.begin(instance="H", database="db", from_service="From", to_service="To")
            dialog.send(*[b"%d %d" % (number, each) for each in range(MESSAGES)])
    files = tmp_path / "killed", tmp_path / "other"
    killed, other = consumer(access, files[0], 3), consumer(access, files[1], 0)
    assert killed.stdout is not None
    assert killed.stdout.readline() == "in the middle\n"
    killed.send_signal(signal.SIGKILL)
    assert killed.wait(10) == -signal.SIGKILL
    killed.stdout.close()
    eventually(lambda: other.poll() is not None, 60)
    assert other.stdout is not None
    other.stdout.close()
    assert other.returncode == 0
    records = [[json.loads(line) for line in file.read_text().splitlines()] for file in files]
    assert all(records), "both have received something"
    numbers: dict[str, list[int]] = {}
    for _at, handle, number in sorted(record for each in records for record in each):
        numbers.setdefault(handle, []).append(number)
    assert list(numbers.values()) == [list(range(MESSAGES))] * CONVERSATIONS

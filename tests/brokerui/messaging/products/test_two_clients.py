"""Two programs share a queue; one is killed in the middle of a batch. Nothing is lost, doubled, or out of order."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from brokerui.core.home import CHECKOUT
from tests.brokerui.messaging.products.conftest import Access
from tests.brokerui.product import eventually

pytestmark = pytest.mark.slow

CONVERSATIONS, MESSAGES = 8, 6
CONSUMER = """
import json, sys, time
from brokerui.client import Client
site, token, file, batches = sys.argv[1:]
left = int(batches)
with Client(site, token=token) as client, open(file, "a") as record:
    while True:
        with client.receive(instance="A", database="shared", queue="dbo.WorkQ", top=2, wait_s=6, lease_s=3) as batch:
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


def consumer(access: Access, file: Path, batches: int) -> subprocess.Popen[str]:
    """A program of its own, that stops in the middle of its last batch; 0: it goes on."""
    words = [sys.executable, "-c", CONSUMER, *access, str(file), str(batches)]
    return subprocess.Popen(words, cwd=CHECKOUT, stdout=subprocess.PIPE, text=True)


def test_what_one_has_not_committed_the_other_receives(accesses: tuple[Access, Access], tmp_path: Path) -> None:
    access, _ = accesses
    with access.client() as client:
        for number in range(CONVERSATIONS):
            dialog = client.begin(instance="A", database="shared", from_service="Ask", to_service="Work")
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

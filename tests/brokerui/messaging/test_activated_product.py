"""Activation with all processes of the product: only the readers that it starts receive."""

from __future__ import annotations

import base64
import json
from pathlib import Path

import pytest

from tests.brokerui.product import PROGRAMS, command, eventually, free_port, running

pytestmark = pytest.mark.slow

SECONDS = 240
SCRIPT = """
USE one
GO
CREATE QUEUE FromQ
CREATE SERVICE [From] ON QUEUE FromQ
GO
USE two
GO
CREATE QUEUE ToQ WITH ACTIVATION (PROCEDURE_NAME = dbo.Echo, MAX_QUEUE_READERS = 2, EXECUTE AS SELF)
CREATE SERVICE [To] ON QUEUE ToQ ([DEFAULT])
"""


def done(home: Path, *words: str) -> str:
    ended = command(home, *words)
    assert ended.returncode == 0, (words, ended.stdout, ended.stderr)
    return ended.stdout


def test_a_message_is_answered_by_a_reader_that_nobody_has_started(tmp_path: Path) -> None:
    address = f"tcp://127.0.0.1:{free_port()}"
    procedures = {"ACTIVATION_TASKS": "dbo.Echo", "ACTIVATION_IMPORTS": "tests.brokerui.messaging.procedures"}
    with running(tmp_path, DEMO="0", **procedures) as product:
        assert list(product.pids()) == [*PROGRAMS, "readers"]
        done(tmp_path, "host", "A", "--listen", address, "--database", "one", "--database", "two")
        file = tmp_path / "objects.sql"
        file.write_text(SCRIPT)
        done(tmp_path, "estate", "import", "--into", f"A@{address}={file}")
        sent = done(tmp_path, "send", "--from", "A/one", "--service", "From", "--to", "To", "--size", "100")
        handle = json.loads(sent)["conversation_handle"]
        answer = eventually(lambda: done(tmp_path, "receive", "A/one/dbo.FromQ", "--wait", "5000"), SECONDS)
        row = json.loads(answer)
        assert (row["conversation_handle"], len(base64.b64decode(row["message_body"]))) == (handle, 100)

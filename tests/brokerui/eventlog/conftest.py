"""Books that are empty at the beginning of each test, and a folder for the event log."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from brokerui.eventlog.recording import recorder
from tests.brokerui.messaging.conftest import client, lists, one_valkey, valkey, wire

__all__ = ["client", "lists", "one_valkey", "valkey", "wire"]


@pytest.fixture(autouse=True)
def books() -> Iterator[None]:
    recorder.forget()
    yield
    recorder.forget()


@pytest.fixture
def folder(settings: Any, tmp_path: Path) -> Path:
    """Where all events go: the log is on."""
    settings.EVENT_LOG = True
    settings.EVENT_LOG_FOLDER = tmp_path / "events"
    return tmp_path / "events"

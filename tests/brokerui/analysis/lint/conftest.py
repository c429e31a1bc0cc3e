"""What the tests of findings share. They run on SQLite and on PostgreSQL (`make test`)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from brokerui.analysis.lint import selectors, services
from brokerui.estate.cache import estates


@pytest.fixture(autouse=True)
def forgetful() -> Iterator[None]:
    """Every test begins with an empty memory."""
    for memory in (estates, selectors._found_small, selectors._found_large):
        memory.clear()
    yield
    estates.clear()


@pytest.fixture
def nothing_is_small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every estate is looked over in the background."""
    monkeypatch.setattr(selectors, "SMALL", 0)


@pytest.fixture
def woken(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The wake-ups that were sent."""
    sent: list[Any] = []
    monkeypatch.setattr(services, "wake_on_commit", sent.append)
    return sent

"""What the tests of findings share. They run on SQLite and on PostgreSQL (`make test`)."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from brokerui.analysis.lint import selectors
from brokerui.core import celery_wake
from brokerui.core.jobs import wake as job_wake
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
def woken(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Names of the tasks that are to be woken."""
    sent: list[str] = []
    monkeypatch.setattr(celery_wake, "wake", lambda task: sent.append(task.name))
    monkeypatch.setattr(job_wake, "wake", lambda task: sent.append(task.name))
    return sent
